// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Guided {
    u16* means;
    u32* lines;  // Slopes and offsets; and their means.
    u32* smooth;
    u64* sums[2];  // Of rows of windows that are too wide for tiles.
    u64 edge;
    u32 count;  // Means in a window, and 2^32 over that.
    u32 inverse;
    u32 width;
    u32 height;
    u32 reach;
    u32 mean;  // Samples of a mean, to each side.
};
static_assert(sizeof(Guided) == 72 && alignof(Guided) == 8, "Guided differs from the host's");
LAYOUT(Guided, means, 0);
LAYOUT(Guided, lines, 8);
LAYOUT(Guided, smooth, 16);
LAYOUT(Guided, sums, 24);
LAYOUT(Guided, edge, 40);
LAYOUT(Guided, count, 48);
LAYOUT(Guided, inverse, 52);
LAYOUT(Guided, width, 56);
LAYOUT(Guided, height, 60);
LAYOUT(Guided, reach, 64);
LAYOUT(Guided, mean, 68);

struct Localtone {
    Plane src[3];
    Plane dst[3];
    i16* pyramid;  // Levels of all pictures, and those that are collapsed.
    i16* results;
    u16* curve;  // Tables.
    const u16* last;  // None where it changes nothing.
    const u16* gain;
    const u16* skin_cb;
    const u16* skin_cr;
    u16* slopes;  // Of `people`, how steep structures are on a base.
    Entry* entries;
    const u16* base_curve;  // What these are made of behind an exposure, its gains, and the brightness that they go by.
    const Entry* base_entries;
    const u32* exposing;
    const u32* brightness;
    Guided guided[2];
    u16* skin[2];  // Skin in blocks, and its means.
    u32 skin_width;
    u32 skin_height;
    u32 widths[15];  // Of levels; those above the first begin at an offset in each picture.
    u32 heights[15];
    u32 offsets[15];
    int amounts[14];
    u32 stride;  // Samples from a picture to the next.
    u32 drop;  // Bits of luma below the codes that entries are by; none where they are by light.
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
    u32 words;  // 1: words of luma lie side by side, so that vectors of them fit; 2: all of 4:2:0 is so, and of even size.
    u32 has_chroma;
};
static_assert(sizeof(Localtone) == 776 && alignof(Localtone) == 8, "Localtone differs from the host's");
LAYOUT(Localtone, src, 0);
LAYOUT(Localtone, dst, 72);
LAYOUT(Localtone, pyramid, 144);
LAYOUT(Localtone, results, 152);
LAYOUT(Localtone, curve, 160);
LAYOUT(Localtone, last, 168);
LAYOUT(Localtone, gain, 176);
LAYOUT(Localtone, skin_cb, 184);
LAYOUT(Localtone, skin_cr, 192);
LAYOUT(Localtone, slopes, 200);
LAYOUT(Localtone, entries, 208);
LAYOUT(Localtone, base_curve, 216);
LAYOUT(Localtone, base_entries, 224);
LAYOUT(Localtone, exposing, 232);
LAYOUT(Localtone, brightness, 240);
LAYOUT(Localtone, guided, 248);
LAYOUT(Localtone, skin, 392);
LAYOUT(Localtone, skin_width, 408);
LAYOUT(Localtone, skin_height, 412);
LAYOUT(Localtone, widths, 416);
LAYOUT(Localtone, heights, 476);
LAYOUT(Localtone, offsets, 536);
LAYOUT(Localtone, amounts, 596);
LAYOUT(Localtone, stride, 652);
LAYOUT(Localtone, drop, 656);
LAYOUT(Localtone, depth, 660);
LAYOUT(Localtone, level, 664);
LAYOUT(Localtone, black, 668);
LAYOUT(Localtone, span, 672);
LAYOUT(Localtone, scale, 676);
LAYOUT(Localtone, strength, 680);
LAYOUT(Localtone, luma, 684);
LAYOUT(Localtone, warm, 696);
LAYOUT(Localtone, chroma, 708);
LAYOUT(Localtone, gains, 716);
LAYOUT(Localtone, follow, 732);
LAYOUT(Localtone, saturation, 736);
LAYOUT(Localtone, vibrance, 740);
LAYOUT(Localtone, warmth, 744);
LAYOUT(Localtone, kept, 748);
LAYOUT(Localtone, spared, 752);
LAYOUT(Localtone, halved_w, 756);
LAYOUT(Localtone, halved_h, 760);
LAYOUT(Localtone, is_rgb, 764);
LAYOUT(Localtone, words, 768);
LAYOUT(Localtone, has_chroma, 772);
