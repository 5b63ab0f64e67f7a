// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Colour {
    Plane src[3];
    Plane dst[3];
    const float* linear;  // Tables, null where there are none.
    const float* system;
    const float* gain;
    const float* code;
    const float* soft;
    const uint2* nodes;  // A table of colours, and where codes lie in it.
    const u32* places;
    u32 entries;  // From `linear` on, those that kernels keep in shared memory.
    float system_first;  // The least light of tables.
    float gain_first;
    float code_first;
    float luminance[3];
    float strength;  // Of desaturation, and where white is.
    float white;
    float matrix[3][3];
    float target[3];  // Weights of luminance behind the matrix.
    int black;  // Of components that are decoded.
    int light;
    int decode[3][2];
    int made_black;  // Of those that are made.
    int span;
    int luma[3];
    int chroma[2][3];
    u32 takes_rgb;
    u32 gives_rgb;
    u32 edge;  // Nodes along an edge of the table of colours.
    u32 measure;  // A `GainBasis`.
    u32 has_matrix;
    u32 gamut;  // A `Gamut`.
    u32 read_across;  // `Site`s.
    u32 read_down;
    u32 made_across;
    u32 made_down;
    u32 across;  // Tiles side by side, and all of them.
    u32 tiles;
};
static_assert(sizeof(Colour) == 408 && alignof(Colour) == 8, "Colour differs from the host's");
LAYOUT(Colour, src, 0);
LAYOUT(Colour, dst, 72);
LAYOUT(Colour, linear, 144);
LAYOUT(Colour, system, 152);
LAYOUT(Colour, gain, 160);
LAYOUT(Colour, code, 168);
LAYOUT(Colour, soft, 176);
LAYOUT(Colour, nodes, 184);
LAYOUT(Colour, places, 192);
LAYOUT(Colour, entries, 200);
LAYOUT(Colour, system_first, 204);
LAYOUT(Colour, gain_first, 208);
LAYOUT(Colour, code_first, 212);
LAYOUT(Colour, luminance, 216);
LAYOUT(Colour, strength, 228);
LAYOUT(Colour, white, 232);
LAYOUT(Colour, matrix, 236);
LAYOUT(Colour, target, 272);
LAYOUT(Colour, black, 284);
LAYOUT(Colour, light, 288);
LAYOUT(Colour, decode, 292);
LAYOUT(Colour, made_black, 316);
LAYOUT(Colour, span, 320);
LAYOUT(Colour, luma, 324);
LAYOUT(Colour, chroma, 336);
LAYOUT(Colour, takes_rgb, 360);
LAYOUT(Colour, gives_rgb, 364);
LAYOUT(Colour, edge, 368);
LAYOUT(Colour, measure, 372);
LAYOUT(Colour, has_matrix, 376);
LAYOUT(Colour, gamut, 380);
LAYOUT(Colour, read_across, 384);
LAYOUT(Colour, read_down, 388);
LAYOUT(Colour, made_across, 392);
LAYOUT(Colour, made_down, 396);
LAYOUT(Colour, across, 400);
LAYOUT(Colour, tiles, 404);

struct Peak {
    const float* tables;  // Gains for all peaks and the means of each, one behind the other, and that of the frame.
    float* gain;
    const u32* level;  // Where the peak's code is and the mean's behind it, or null: the peak's is `code`, and no mean is known.
    u32 code;
    u32 first;  // The first table's, and from one to the next.
    u32 step;
    u32 entries;
    u32 means;  // Tables of each peak, and from one mean to the next.
    u32 mean_step;
};
static_assert(sizeof(Peak) == 48 && alignof(Peak) == 8, "Peak differs from the host's");
LAYOUT(Peak, tables, 0);
LAYOUT(Peak, gain, 8);
LAYOUT(Peak, level, 16);
LAYOUT(Peak, code, 24);
LAYOUT(Peak, first, 28);
LAYOUT(Peak, step, 32);
LAYOUT(Peak, entries, 36);
LAYOUT(Peak, means, 40);
LAYOUT(Peak, mean_step, 44);
