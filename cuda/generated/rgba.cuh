// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct RgbaImage {
    u8* data;  // The first pixel of the top row.
    long long pitch;  // Bytes from a row to the one below it.
    u32 aligned;  // Whether every pixel lies at a multiple of its size.
    u32 unused;
};
static_assert(sizeof(RgbaImage) == 24 && alignof(RgbaImage) == 8, "RgbaImage differs from the host's");
LAYOUT(RgbaImage, data, 0);
LAYOUT(RgbaImage, pitch, 8);
LAYOUT(RgbaImage, aligned, 16);
LAYOUT(RgbaImage, unused, 20);

struct Rgba {
    RgbaImage source;
    RgbaImage target;  // The part of the target.
    Plane before[3];  // The picture that the chain gets.
    Plane after[3];  // The one that it made.
    float gain[3];
    float zero[3];
    float made_gain[3];
    float made_zero[3];
    u32 width;  // Of the target.
    u32 height;
    int left;  // Where the target lies in the source.
    int top;
    u32 codes;
    u32 ycbcr;
    u32 linear;
    u32 carries;
    u32 premultiplied;
    u32 unused;
};
static_assert(sizeof(Rgba) == 280 && alignof(Rgba) == 8, "Rgba differs from the host's");
LAYOUT(Rgba, source, 0);
LAYOUT(Rgba, target, 24);
LAYOUT(Rgba, before, 48);
LAYOUT(Rgba, after, 120);
LAYOUT(Rgba, gain, 192);
LAYOUT(Rgba, zero, 204);
LAYOUT(Rgba, made_gain, 216);
LAYOUT(Rgba, made_zero, 228);
LAYOUT(Rgba, width, 240);
LAYOUT(Rgba, height, 244);
LAYOUT(Rgba, left, 248);
LAYOUT(Rgba, top, 252);
LAYOUT(Rgba, codes, 256);
LAYOUT(Rgba, ycbcr, 260);
LAYOUT(Rgba, linear, 264);
LAYOUT(Rgba, carries, 268);
LAYOUT(Rgba, premultiplied, 272);
LAYOUT(Rgba, unused, 276);
