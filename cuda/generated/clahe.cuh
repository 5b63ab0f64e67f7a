// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct ClaheComponent {
    Plane src;
    Plane dst;
    u32* counts;  // How often bins are met, tile by tile. Zeros between frames.
    u32* curves;  // Curves at the edges before and after bins, in the halves of words, tile by tile.
    u32 computes;  // 0: the plane is copied.
    u32 across;  // Blocks side by side, or of a tile.
    u32 blocks;  // Blocks of the component.
    u32 unused;
};
static_assert(sizeof(ClaheComponent) == 80 && alignof(ClaheComponent) == 8, "ClaheComponent differs from the host's");
LAYOUT(ClaheComponent, src, 0);
LAYOUT(ClaheComponent, dst, 24);
LAYOUT(ClaheComponent, counts, 48);
LAYOUT(ClaheComponent, curves, 56);
LAYOUT(ClaheComponent, computes, 64);
LAYOUT(ClaheComponent, across, 68);
LAYOUT(ClaheComponent, blocks, 72);
LAYOUT(ClaheComponent, unused, 76);

struct Clahe {
    ClaheComponent component[3];
    u32 tiles_w;  // Tiles across and down.
    u32 tiles_h;
    u32 shift;  // Bits of a lane that are below its bin's number.
    u32 first;  // The bin that black begins.
    u32 count;  // Bins from black to white.
    u32 clip;  // How much a bin counts at most, in 256ths of the mean of all.
};
static_assert(sizeof(Clahe) == 264 && alignof(Clahe) == 8, "Clahe differs from the host's");
LAYOUT(Clahe, component, 0);
LAYOUT(Clahe, tiles_w, 240);
LAYOUT(Clahe, tiles_h, 244);
LAYOUT(Clahe, shift, 248);
LAYOUT(Clahe, first, 252);
LAYOUT(Clahe, count, 256);
LAYOUT(Clahe, clip, 260);
