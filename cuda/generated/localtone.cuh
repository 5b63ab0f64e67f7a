// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Guided {
    int* means;
    u64* sums;  // Of rows of windows.
    u64* squares;
    int* lines[2];  // Slopes and offsets; these added up across; and their means.
    int* across[2];
    int* smooth[2];
    u64 edge;
    u64 count;  // Means in a window.
    u32 width;
    u32 height;
    u32 reach;
    u32 mean;  // Samples of a mean, to each side.
};
static_assert(sizeof(Guided) == 104 && alignof(Guided) == 8, "Guided differs from the host's");
LAYOUT(Guided, means, 0);
LAYOUT(Guided, sums, 8);
LAYOUT(Guided, squares, 16);
LAYOUT(Guided, lines, 24);
LAYOUT(Guided, across, 40);
LAYOUT(Guided, smooth, 56);
LAYOUT(Guided, edge, 72);
LAYOUT(Guided, count, 80);
LAYOUT(Guided, width, 88);
LAYOUT(Guided, height, 92);
LAYOUT(Guided, reach, 96);
LAYOUT(Guided, mean, 100);

struct Localtone {
    Plane src[3];
    Plane dst[3];
    u16* light;
    u16* base;  // What the pointwise curve makes of light, for `scenery`.
    i16* pyramid;  // Levels of all pictures, and those that are collapsed.
    i16* results;
    u16* curve;  // Tables.
    const u16* last;
    const u16* gain;
    const u16* skin_cb;
    const u16* skin_cr;
    const i16* remap;
    Exposures* exposures;
    const u16* base_curve;  // What these two are made of behind an exposure, its gains, and the brightness that they go by.
    const Exposures* base_exposures;
    const u32* exposing;
    const u32* brightness;
    Guided guided[2];
    int* skin[2];  // Skin in blocks, and its means.
    u32 skin_width;
    u32 skin_height;
    u32 widths[15];  // Of levels; those above the first begin at an offset in each picture.
    u32 heights[15];
    u32 offsets[15];
    int amounts[14];
    u32 stride;  // Samples from a picture to the next.
    u32 depth;  // The last level, and the one at hand.
    u32 level;
    int black;
    int span;
    int scale;
    int strength;
    int luma[3];  // Of R, G and B.
    int warm[3];
    int chroma[2];
    int gains[4];  // Of `people`: middle and fine, elsewhere and on skin.
    int follow;
    int saturation;
    int vibrance;
    int warmth;
    int kept;
    int spared;
    u32 halved_w;
    u32 halved_h;
    u32 is_rgb;
    u32 has_chroma;
};
static_assert(sizeof(Localtone) == 848 && alignof(Localtone) == 8, "Localtone differs from the host's");
LAYOUT(Localtone, src, 0);
LAYOUT(Localtone, dst, 72);
LAYOUT(Localtone, light, 144);
LAYOUT(Localtone, base, 152);
LAYOUT(Localtone, pyramid, 160);
LAYOUT(Localtone, results, 168);
LAYOUT(Localtone, curve, 176);
LAYOUT(Localtone, last, 184);
LAYOUT(Localtone, gain, 192);
LAYOUT(Localtone, skin_cb, 200);
LAYOUT(Localtone, skin_cr, 208);
LAYOUT(Localtone, remap, 216);
LAYOUT(Localtone, exposures, 224);
LAYOUT(Localtone, base_curve, 232);
LAYOUT(Localtone, base_exposures, 240);
LAYOUT(Localtone, exposing, 248);
LAYOUT(Localtone, brightness, 256);
LAYOUT(Localtone, guided, 264);
LAYOUT(Localtone, skin, 472);
LAYOUT(Localtone, skin_width, 488);
LAYOUT(Localtone, skin_height, 492);
LAYOUT(Localtone, widths, 496);
LAYOUT(Localtone, heights, 556);
LAYOUT(Localtone, offsets, 616);
LAYOUT(Localtone, amounts, 676);
LAYOUT(Localtone, stride, 732);
LAYOUT(Localtone, depth, 736);
LAYOUT(Localtone, level, 740);
LAYOUT(Localtone, black, 744);
LAYOUT(Localtone, span, 748);
LAYOUT(Localtone, scale, 752);
LAYOUT(Localtone, strength, 756);
LAYOUT(Localtone, luma, 760);
LAYOUT(Localtone, warm, 772);
LAYOUT(Localtone, chroma, 784);
LAYOUT(Localtone, gains, 792);
LAYOUT(Localtone, follow, 808);
LAYOUT(Localtone, saturation, 812);
LAYOUT(Localtone, vibrance, 816);
LAYOUT(Localtone, warmth, 820);
LAYOUT(Localtone, kept, 824);
LAYOUT(Localtone, spared, 828);
LAYOUT(Localtone, halved_w, 832);
LAYOUT(Localtone, halved_h, 836);
LAYOUT(Localtone, is_rgb, 840);
LAYOUT(Localtone, has_chroma, 844);
