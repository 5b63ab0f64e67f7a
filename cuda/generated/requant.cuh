// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Component {
    Plane src;
    Plane dst;
    const u16* pattern;  // 64 rows of 64 thresholds, column 0 at a multiple of 8 before the plane's.
    u16* residues;  // Error diffusion: of the last row of every band of rows.
    long long offset;  // The scaling's offset and slope, in 2^-32.
    int slope;
    int top;  // Largest scaled value.
    u32 column;  // Where in the pattern the plane's first sample lies.
    u32 row;
};
static_assert(sizeof(Component) == 88 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, pattern, 48);
LAYOUT(Component, residues, 56);
LAYOUT(Component, offset, 64);
LAYOUT(Component, slope, 72);
LAYOUT(Component, top, 76);
LAYOUT(Component, column, 80);
LAYOUT(Component, row, 84);

struct Requant {
    Component component[3];
    u32 drop;  // Bits at the low end of v16 that the new depth lacks.
    u32 guard;  // Bits computed below those of v16.
    u32 first_blocks;  // Blocks of luma or grey; those that follow belong to chroma.
    u32 across[2];  // Blocks in a row of luma, of chroma.
    u32 bands[3];  // Error diffusion: bands of 32 rows of each component.
    u32 epoch;  // Counts frames: residues are marked with its parity.
    u32 first_ticket;  // The tickets that this frame's blocks draw begin here.
    u32* tickets;
    u32 bias;  // What thresholds have added, so that none is negative.
    u32 unused;
};
static_assert(sizeof(Requant) == 320 && alignof(Requant) == 8, "Requant differs from the host's");
LAYOUT(Requant, component, 0);
LAYOUT(Requant, drop, 264);
LAYOUT(Requant, guard, 268);
LAYOUT(Requant, first_blocks, 272);
LAYOUT(Requant, across, 276);
LAYOUT(Requant, bands, 284);
LAYOUT(Requant, epoch, 296);
LAYOUT(Requant, first_ticket, 300);
LAYOUT(Requant, tickets, 304);
LAYOUT(Requant, bias, 312);
LAYOUT(Requant, unused, 316);
