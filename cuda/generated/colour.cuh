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
    u32 linear_entries;
    u32 gain_entries;
    u32 code_entries;
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
    u32 measure;  // A `Measure`.
    u32 has_matrix;
    u32 gamut;  // A `Gamut`.
    u32 read_across;  // `Site`s.
    u32 read_down;
    u32 made_across;
    u32 made_down;
    u32 across;  // Tiles side by side, and all of them.
    u32 tiles;
};
static_assert(sizeof(Colour) == 416 && alignof(Colour) == 8, "Colour differs from the host's");
LAYOUT(Colour, src, 0);
LAYOUT(Colour, dst, 72);
LAYOUT(Colour, linear, 144);
LAYOUT(Colour, system, 152);
LAYOUT(Colour, gain, 160);
LAYOUT(Colour, code, 168);
LAYOUT(Colour, soft, 176);
LAYOUT(Colour, nodes, 184);
LAYOUT(Colour, places, 192);
LAYOUT(Colour, linear_entries, 200);
LAYOUT(Colour, gain_entries, 204);
LAYOUT(Colour, code_entries, 208);
LAYOUT(Colour, system_first, 212);
LAYOUT(Colour, gain_first, 216);
LAYOUT(Colour, code_first, 220);
LAYOUT(Colour, luminance, 224);
LAYOUT(Colour, strength, 236);
LAYOUT(Colour, white, 240);
LAYOUT(Colour, matrix, 244);
LAYOUT(Colour, target, 280);
LAYOUT(Colour, black, 292);
LAYOUT(Colour, light, 296);
LAYOUT(Colour, decode, 300);
LAYOUT(Colour, made_black, 324);
LAYOUT(Colour, span, 328);
LAYOUT(Colour, luma, 332);
LAYOUT(Colour, chroma, 344);
LAYOUT(Colour, takes_rgb, 368);
LAYOUT(Colour, gives_rgb, 372);
LAYOUT(Colour, edge, 376);
LAYOUT(Colour, measure, 380);
LAYOUT(Colour, has_matrix, 384);
LAYOUT(Colour, gamut, 388);
LAYOUT(Colour, read_across, 392);
LAYOUT(Colour, read_down, 396);
LAYOUT(Colour, made_across, 400);
LAYOUT(Colour, made_down, 404);
LAYOUT(Colour, across, 408);
LAYOUT(Colour, tiles, 412);
