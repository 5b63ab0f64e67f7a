// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Survey {
    Plane src[3];
    Plane dst;
    u32* counts;  // Of levels, and of bins of light behind them.
    u64 rank;
    u32 columns;
    u32 rows;
    int black;  // Of light: black, what is multiplied with, and the weights of R, G and B.
    int factor;
    int luma[3];
    u32 is_rgb;
    u32 by_code;  // Of codes.
    int code_black;
    int code_gain;
    int chroma[3][2];
    u32 halved_w;
    u32 halved_h;
    u32 has_mean;
};
static_assert(sizeof(Survey) == 192 && alignof(Survey) == 8, "Survey differs from the host's");
LAYOUT(Survey, src, 0);
LAYOUT(Survey, dst, 72);
LAYOUT(Survey, counts, 96);
LAYOUT(Survey, rank, 104);
LAYOUT(Survey, columns, 112);
LAYOUT(Survey, rows, 116);
LAYOUT(Survey, black, 120);
LAYOUT(Survey, factor, 124);
LAYOUT(Survey, luma, 128);
LAYOUT(Survey, is_rgb, 140);
LAYOUT(Survey, by_code, 144);
LAYOUT(Survey, code_black, 148);
LAYOUT(Survey, code_gain, 152);
LAYOUT(Survey, chroma, 156);
LAYOUT(Survey, halved_w, 180);
LAYOUT(Survey, halved_h, 184);
LAYOUT(Survey, has_mean, 188);

struct Smooth {
    const u16* surveys[97];  // Of frames one after the other.
    u32* level;  // Where the level is written, and the mean behind it.
    u64 samples;
    u32 cells;
    u32 frames;
    u32 radius;
    u32 crest;  // The largest levels within the radius, not those of the frames themselves.
};
static_assert(sizeof(Smooth) == 808 && alignof(Smooth) == 8, "Smooth differs from the host's");
LAYOUT(Smooth, surveys, 0);
LAYOUT(Smooth, level, 776);
LAYOUT(Smooth, samples, 784);
LAYOUT(Smooth, cells, 792);
LAYOUT(Smooth, frames, 796);
LAYOUT(Smooth, radius, 800);
LAYOUT(Smooth, crest, 804);
