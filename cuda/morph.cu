// erode, dilate, open, close, minmax of any size: extremes of windows along one axis, a launch for each axis and step.
//
// A line is cut into blocks as long as a window, which is then the end of one block and the beginning of the next: with the
// extremes from each place to its block's end, and from its block's beginning to it, a result takes one comparison more
// (van Herk, Gil and Werman). A word holds samples of several lines, and they are compared at once.

#include "common/four.cuh"
#include "generated/morph.cuh"

// As src/filters/morph/tuning.rs has them.
constexpr int LENGTH = 764, LINES = 8, THREADS = 256;

// What becomes of an extreme: as src/filters/morph/cuda.rs has it.
enum { BETWEEN, LIMITED, DIFFERENCE };

extern __shared__ u32 shared[];

// Samples of type T in words, as lanes of that many bits: codes of 8 bits, or lanes of 16.
template <typename T>
struct Packed;
template <>
struct Packed<u8> {
    static constexpr int COUNT = 4;
    static __device__ __forceinline__ u32 lowest(u32 a, u32 b) { return __vminu4(a, b); }
    static __device__ __forceinline__ u32 highest(u32 a, u32 b) { return __vmaxu4(a, b); }
    static __device__ __forceinline__ u32 whole(const Plane&, u32 word) { return word; }
    static __device__ __forceinline__ u32 one(const Plane& plane, int x, int y) { return __ldg(at<u8>(plane, x, y)); }
    // Rows of words become columns of words, and the other way about.
    static __device__ __forceinline__ void turn(u32 (&v)[4]) {
        u32 columns[4];
        transpose(v[0], v[1], v[2], v[3], columns);
#pragma unroll
        for (int i = 0; i < 4; i++) v[i] = columns[i];
    }
};
template <>
struct Packed<u16> {
    static constexpr int COUNT = 2;
    static __device__ __forceinline__ u32 lowest(u32 a, u32 b) { return __vminu2(a, b); }
    static __device__ __forceinline__ u32 highest(u32 a, u32 b) { return __vmaxu2(a, b); }
    static __device__ __forceinline__ u32 whole(const Plane& plane, u32 word) {
        return widen_two(word, plane.shift) ^ (plane.sample == SAMPLE_I16 ? 0x80008000u : 0);
    }
    static __device__ __forceinline__ u32 one(const Plane& plane, int x, int y) { return u16(lane(plane, x, y)); }
    static __device__ __forceinline__ void turn(u32 (&v)[2]) {
        const u32 first = even_u16(v[0], v[1]), second = odd_u16(v[0], v[1]);
        v[0] = first;
        v[1] = second;
    }
};

template <typename T, bool MAX>
__device__ __forceinline__ u32 extreme(u32 a, u32 b) {
    return MAX ? Packed<T>::highest(a, b) : Packed<T>::lowest(a, b);
}

// The samples from (x, y) on that fill a word; beyond the border the nearest counts. x is a multiple of their number.
template <typename T>
__device__ __forceinline__ u32 read_word(const Plane& plane, int x, int y) {
    constexpr int COUNT = Packed<T>::COUNT;
    y = inside(y, plane.height);
    if (plane.step == 1 && x >= 0 && x + COUNT <= int(plane.width) && vectors_fit(plane, 4)) {
        return Packed<T>::whole(plane, __ldg(reinterpret_cast<const u32*>(at<T>(plane, x, y))));
    }
    u32 word = 0;
#pragma unroll
    for (int i = 0; i < COUNT; i++) word |= Packed<T>::one(plane, inside(x + i, plane.width), y) << 8 * sizeof(T) * i;
    return word;
}

// Stores the results of a word at (x, y) and on, as far as the plane goes.
template <typename T>
__device__ __forceinline__ void write_word(const Morph& p, const MorphComponent& c, int x, int y, u32 extremes) {
    constexpr int COUNT = Packed<T>::COUNT;
    const Plane& dst = c.dst;
    if (y >= int(dst.height)) return;
    const bool alike = dst.sample == (sizeof(T) == 1 ? SAMPLE_U8 : SAMPLE_U16) && dst.bit_depth == 8 * sizeof(T);
    if (p.finish == BETWEEN && alike && dst.step == 1 && x + COUNT <= int(dst.width) && vectors_fit(dst, 4)) {
        *reinterpret_cast<u32*>(at<T>(dst, x, y)) = extremes;
        return;
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        if (x + i >= int(dst.width)) break;
        int value = extremes >> 8 * sizeof(T) * i & (sizeof(T) == 1 ? 0xff : 0xffff);
        if (sizeof(T) == 1) value <<= 8;
        if (p.finish != BETWEEN) {
            const int other = lane(c.other, x + i, y) & 0xffff;
            value = p.finish == LIMITED ? min(max(value, other - p.limit), other + p.limit)
                                        : min(value - other + int(c.nought), 0xffff);
        }
        store(dst, x + i, y, value - bias(dst));
    }
}

// Where the word at a place of a line lies. Along rows, words next to one another lie together, since four are written at
// a time; an odd distance between lines then spreads what is read.
template <bool DOWN>
__device__ __forceinline__ int word_at(int place, int line) {
    return DOWN ? place * LINES + line : line * (LENGTH + 1) + place;
}

// From plane to shared memory, twice: a part of LINES words of lines, which begins at place `first`.
template <typename T, bool DOWN>
__device__ __forceinline__ void read_lines(const Plane& src, int first, int side, u32* begins, u32* ends) {
    constexpr int COUNT = Packed<T>::COUNT;
    if (DOWN) {
        for (int i = threadIdx.x; i < LENGTH * LINES; i += THREADS) {
            const int place = i / LINES, line = i % LINES;
            begins[word_at<DOWN>(place, line)] = ends[word_at<DOWN>(place, line)] =
                read_word<T>(src, side + line * COUNT, first + place);
        }
        return;
    }
    constexpr int ACROSS = LENGTH / COUNT;
    for (int i = threadIdx.x; i < ACROSS * LINES; i += THREADS) {
        const int place = i % ACROSS * COUNT, line = i / ACROSS;
        u32 words[COUNT];
#pragma unroll
        for (int k = 0; k < COUNT; k++) words[k] = read_word<T>(src, first + place, side + line * COUNT + k);
        Packed<T>::turn(words);
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            begins[word_at<DOWN>(place + k, line)] = ends[word_at<DOWN>(place + k, line)] = words[k];
        }
    }
}

// Extremes from each block's beginning to a place, and from a place to its block's end.
template <typename T, bool DOWN, bool MAX>
__device__ __forceinline__ void scan(int window, u32* begins, u32* ends) {
    const int blocks = (LENGTH + window - 1) / window;
    for (int i = threadIdx.x; i < 2 * LINES * blocks; i += THREADS) {
        const int line = i % LINES, block = i / LINES >> 1;
        const int from = block * window, to = min(from + window, LENGTH);
        if (i / LINES & 1) {
            u32 so_far = ends[word_at<DOWN>(to - 1, line)];
#pragma unroll 4
            for (int place = to - 2; place >= from; place--) {
                u32& word = ends[word_at<DOWN>(place, line)];
                word = so_far = extreme<T, MAX>(so_far, word);
            }
        } else {
            u32 so_far = begins[word_at<DOWN>(from, line)];
#pragma unroll 4
            for (int place = from + 1; place < to; place++) {
                u32& word = begins[word_at<DOWN>(place, line)];
                word = so_far = extreme<T, MAX>(so_far, word);
            }
        }
    }
}

template <typename T, bool DOWN, bool MAX>
__device__ __forceinline__ void morph(const Morph& p) {
    constexpr int COUNT = Packed<T>::COUNT;
    u32 block = blockIdx.x;
    const MorphComponent& c = component_of(p.component, block);
    // Places along a line that a part makes, whose beginning is a multiple of four for reads of whole words.
    const int radius = p.radius, reach = (radius + 3) & ~3, places = LENGTH - 2 * reach;
    const int side = block % c.across * LINES * COUNT, first = block / c.across * places;
    if (!c.computes) {
        for (int i = threadIdx.x; i < places * LINES * COUNT; i += THREADS) {
            const int along = first + (DOWN ? i / (LINES * COUNT) : i % places);
            const int beside = side + (DOWN ? i % (LINES * COUNT) : i / places);
            const int x = DOWN ? beside : along, y = DOWN ? along : beside;
            if (x < int(c.dst.width) && y < int(c.dst.height)) store(c.dst, x, y, load(c.src, x, y));
        }
        return;
    }
    u32 *const begins = shared, *const ends = shared + (LENGTH + 1) * LINES;
    read_lines<T, DOWN>(c.src, first - reach, side, begins, ends);
    __syncthreads();
    scan<T, DOWN, MAX>(2 * radius + 1, begins, ends);
    __syncthreads();
    const auto result = [&](int place, int line) {
        return extreme<T, MAX>(ends[word_at<DOWN>(place + reach - radius, line)],
                               begins[word_at<DOWN>(place + reach + radius, line)]);
    };
    if (DOWN) {
        for (int i = threadIdx.x; i < places * LINES; i += THREADS) {
            const int place = i / LINES, line = i % LINES;
            write_word<T>(p, c, side + line * COUNT, first + place, result(place, line));
        }
        return;
    }
    const int across = places / COUNT;
    for (int i = threadIdx.x; i < across * LINES; i += THREADS) {
        const int place = i % across * COUNT, line = i / across;
        u32 words[COUNT];
#pragma unroll
        for (int k = 0; k < COUNT; k++) words[k] = result(place + k, line);
        Packed<T>::turn(words);
#pragma unroll
        for (int k = 0; k < COUNT; k++) write_word<T>(p, c, first + place, side + line * COUNT + k, words[k]);
    }
}

#define MORPH(name, ...) \
    extern "C" __global__ void __launch_bounds__(THREADS) morph_##name(const Morph p) { morph<__VA_ARGS__>(p); }
MORPH(across_min_u8, u8, false, false)
MORPH(across_max_u8, u8, false, true)
MORPH(down_min_u8, u8, true, false)
MORPH(down_max_u8, u8, true, true)
MORPH(across_min_u16, u16, false, false)
MORPH(across_max_u16, u16, false, true)
MORPH(down_min_u16, u16, true, false)
MORPH(down_max_u16, u16, true, true)
