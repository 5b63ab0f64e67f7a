// erode, dilate, open, close, minmax of any size: extremes of windows along one axis, a launch for each axis and step.
//
// A line is cut into chunks no longer than a window. With the extremes from each place to its chunk's end, those of whole chunks,
// and those from a chunk's beginning on, a result takes one comparison more (van Herk, Gil and Werman). A thread takes PLACES
// places of a word of lines: a word holds samples of several lines, which are compared at once. Only what reaches to a chunk's end
// is shared with other threads; what begins at one stays in registers, where it meets the other end of its windows.

#pragma once

#include "common/four.cuh"
#include "generated/morph.cuh"

// As src/filters/morph/tuning.rs has them.
constexpr int PLACES = 16, THREADS = 512, LINES_DOWN = 8;

// What becomes of an extreme: as src/filters/morph/cuda.rs has it.
enum { BETWEEN, LIMITED, DIFFERENCE };

extern __shared__ u32 shared[];

// Samples of type T in words, as lanes of that many bits: codes of 8 bits, or lanes of 16.
template <typename T>
struct Packed;
template <>
struct Packed<u8> {
    static constexpr int COUNT = 4;
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

// What words are opened to, so that they are compared: `least` of two.

// Four bytes at once. As two pairs of halves of floats they took as long: 0.0200 instead of 0.0191 ms for radius 15 at 4K.
struct Bytes {
    u32 word;
    static __device__ __forceinline__ Bytes open(u32 word) { return {word}; }
    __device__ __forceinline__ u32 close() const { return word; }
};
__device__ __forceinline__ Bytes least(Bytes a, Bytes b) { return {__vminu4(a.word, b.word)}; }

// Lanes of 16 bits one by one.
struct Halves {
    u32 low, high;
    static __device__ __forceinline__ Halves open(u32 word) { return {word & 0xffff, word >> 16}; }
    __device__ __forceinline__ u32 close() const { return even_u16(low, high); }
};
__device__ __forceinline__ Halves least(Halves a, Halves b) { return {min(a.low, b.low), min(a.high, b.high)}; }

// Whether results of T are stored as they are.
template <typename T>
__device__ __forceinline__ bool stores_alike(const Morph& p, const Plane& dst) {
    return p.finish == BETWEEN && dst.sample == (sizeof(T) == 1 ? SAMPLE_U8 : SAMPLE_U16) && dst.bit_depth == 8 * sizeof(T) &&
           dst.step == 1 && vectors_fit(dst, 4);
}

// Stores the results of a word at (x, y) and on, as far as the plane goes.
template <typename T>
__device__ __forceinline__ void write_word(const Morph& p, const MorphComponent& c, int x, int y, u32 extremes) {
    constexpr int COUNT = Packed<T>::COUNT;
    const Plane& dst = c.dst;
    if (y >= int(dst.height) || x >= int(dst.width)) return;
    if (sizeof(T) == 1 && p.finish == BETWEEN) {
        const int four[4] = {int(extremes << 8 & 0xff00), int(extremes & 0xff00), int(extremes >> 8 & 0xff00),
                             int(extremes >> 16 & 0xff00)};
        return store_four(dst, x, y, four);
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

// How a block lies: threads of a line, and lines.
template <bool DOWN>
struct Layout {
    // From the word of a place in shared memory to the next. A thread has one more than it uses, which spreads what a warp
    // reads and writes over the banks.
    static constexpr int STEP = DOWN ? LINES_DOWN : 1, THREAD = (PLACES + 1) * STEP;
    int thread, line;
    u32* words;  // The thread's own.

    __device__ __forceinline__ Layout(const Morph& p)
        : thread(DOWN ? threadIdx.x / LINES_DOWN : threadIdx.x % p.threads),
          line(DOWN ? threadIdx.x % LINES_DOWN : threadIdx.x / p.threads),
          words(shared + (DOWN ? thread * THREAD + line : threadIdx.x * THREAD)) {}

    // The word at a place, of which those of threads before this one have numbers below 0.
    __device__ __forceinline__ u32& at(int place) const { return words[(place - ((PLACES - 1 - place) >> 4)) * STEP]; }
};

// A thread's words of a line down, from place y on.
template <typename T>
__device__ __forceinline__ bool read_down(const Plane& src, int x, int y, u32 (&words)[PLACES]) {
    if (src.step != 1 || x + Packed<T>::COUNT > int(src.width) || !vectors_fit(src, 4)) return false;
#pragma unroll
    for (int i = 0; i < PLACES; i++) {
        words[i] = Packed<T>::whole(src, __ldg(reinterpret_cast<const u32*>(at<T>(src, x, inside(y + i, src.height)))));
    }
    return true;
}

// The same of lines across, whose rows begin at row y, from place x on.
template <typename T>
__device__ __forceinline__ bool read_across(const Plane& src, int x, int y, u32 (&words)[PLACES]) {
    constexpr int COUNT = Packed<T>::COUNT, WIDE = PLACES / COUNT, BITS = 8 * sizeof(T);
    const int first = x & -COUNT, width = src.width;
    if (src.step != 1 || width % COUNT != 0 || !vectors_fit(src, 4)) return false;
    // Words that lie in memory as they are read, from the one on that holds the first sample.
    u32 rows[COUNT][WIDE + 1];
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        const u32* const row = reinterpret_cast<const u32*>(at<T>(src, 0, inside(y + k, src.height)));
        if (first >= 0 && first + PLACES + COUNT <= width) {
#pragma unroll
            for (int i = 0; i <= WIDE; i++) rows[k][i] = __ldg(row + first / COUNT + i);
        } else {
            // Words beside the plane repeat the outermost sample.
#pragma unroll
            for (int i = 0; i <= WIDE; i++) {
                const int at = first + i * COUNT;
                const u32 take = at < 0 ? (COUNT == 4 ? 0x0000 : 0x1010) : at < width ? 0x3210 : COUNT == 4 ? 0x3333 : 0x3232;
                rows[k][i] = __byte_perm(__ldg(row + inside(at, width) / COUNT), 0, take);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < WIDE; i++) {
        u32 square[COUNT];
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            square[k] = Packed<T>::whole(src, __funnelshift_r(rows[k][i], rows[k][i + 1], (x - first) * BITS));
        }
        Packed<T>::turn(square);
#pragma unroll
        for (int k = 0; k < COUNT; k++) words[i * COUNT + k] = square[k];
    }
    return true;
}

// The same sample by sample, of any plane.
template <typename T, bool DOWN>
__device__ __forceinline__ void read_singly(
    const Layout<DOWN>& own, const Plane& src, int place, int line, u32 (&words)[PLACES]) {
    constexpr int COUNT = Packed<T>::COUNT;
#pragma unroll 1
    for (int i = 0; i < PLACES; i++) {
        u32 word = 0;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const int x = inside(DOWN ? line + k : place + i, src.width), y = inside(DOWN ? place + i : line + k, src.height);
            word |= Packed<T>::one(src, x, y) << 8 * sizeof(T) * k;
        }
        own.at(i) = word;
    }
#pragma unroll
    for (int i = 0; i < PLACES; i++) words[i] = own.at(i);
}

// Smallest samples, of chunks of CHUNKS places: those of windows that begin 2 * radius before each of a thread's places and
// end there.
template <typename T, typename Value, bool DOWN, int CHUNKS>
__device__ __forceinline__ void smallest(const Morph& p, const Layout<DOWN>& own, bool makes, u32 (&words)[PLACES]) {
    // A window of one sample is shorter than any chunk.
    if (p.radius == 0) return;
    Value last;
#pragma unroll
    for (int i = PLACES - 1; i >= 0; i--) {
        words[i] ^= p.flip;
        const Value value = Value::open(words[i]);
        last = (i + 1) % CHUNKS == 0 ? value : least(last, value);
        own.at(i) = last.close();
    }
    __syncthreads();
    if (!makes) return;
    // Windows begin so many chunks and places before they end.
    const int back = 2 * p.radius, chunks = back / CHUNKS, places = back % CHUNKS;
#pragma unroll
    for (int first = 0; first < PLACES; first += CHUNKS) {
        // Of the whole chunks that all these windows hold, and of the one that some hold.
        Value so_far = Value::open(words[first]);
        for (int k = 1; k < chunks; k++) so_far = least(so_far, Value::open(own.at(first - k * CHUNKS)));
        const Value some = Value::open(own.at(first - chunks * CHUNKS));
#pragma unroll
        for (int i = 0; i < CHUNKS; i++) {
            if (i > 0) so_far = least(so_far, Value::open(words[first + i]));
            Value made = least(so_far, Value::open(own.at(first + i - back)));
            if (i < places) made = least(made, some);
            words[first + i] = made.close() ^ p.flip;
        }
    }
}

template <typename T, typename Value, bool DOWN, int CHUNKS>
__device__ __forceinline__ void morph(const Morph& p) {
    constexpr int COUNT = Packed<T>::COUNT;
    u32 block = blockIdx.x;
    const MorphComponent& c = component_of(p.component, block);
    const Layout<DOWN> own(p);
    // The first threads of a line only help others.
    const int halo = (2 * p.radius + PLACES - 1) / PLACES, places = (int(p.threads) - halo) * PLACES;
    const int side = block % c.across * p.lines * COUNT, start = block / c.across * places;
    if (!c.computes) {
        const int beside = int(p.lines) * COUNT;
        for (int i = threadIdx.x; i < places * beside; i += blockDim.x) {
            const int x = DOWN ? side + i % beside : start + i % places, y = DOWN ? start + i / beside : side + i / places;
            if (x < int(c.dst.width) && y < int(c.dst.height)) store(c.dst, x, y, load(c.src, x, y));
        }
        return;
    }
    // What the thread makes, and where the windows of that end.
    const int made = start + (own.thread - halo) * PLACES, read = made + p.radius, line = side + own.line * COUNT;
    u32 words[PLACES];
    const bool is_read = DOWN ? read_down<T>(c.src, line, read, words) : read_across<T>(c.src, read, line, words);
    if (!is_read) read_singly<T, DOWN>(own, c.src, read, line, words);
    const bool makes = own.thread >= halo;
    smallest<T, Value, DOWN, CHUNKS>(p, own, makes, words);
    if (!DOWN) {
#pragma unroll
        for (int i = 0; i < PLACES; i += COUNT) {
            u32 square[COUNT];
#pragma unroll
            for (int k = 0; k < COUNT; k++) square[k] = words[i + k];
            Packed<T>::turn(square);
#pragma unroll
            for (int k = 0; k < COUNT; k++) words[i + k] = square[k];
        }
    }
    // Where word i of what the thread made belongs.
    const auto x = [&](int i) { return DOWN ? line : made + i / COUNT * COUNT; };
    const auto y = [&](int i) { return DOWN ? made + i : line + i % COUNT; };
    if (!DOWN && stores_alike<T>(p, c.dst) && c.dst.width % PLACES == 0 && vectors_fit(c.dst, 16)) {
        // Sixteen bytes at a time of each row.
        if (!makes || made >= int(c.dst.width)) return;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            if (line + k >= int(c.dst.height)) break;
            uint4* const row = reinterpret_cast<uint4*>(at<T>(c.dst, made, line + k));
#pragma unroll
            for (int i = 0; i < 4 / COUNT; i++) {
                const u32* const four = words + k + 4 * COUNT * i;
                row[i] = make_uint4(four[0], four[COUNT], four[2 * COUNT], four[3 * COUNT]);
            }
        }
        return;
    }
    if (stores_alike<T>(p, c.dst) && c.dst.width % COUNT == 0) {
        if (!makes) return;
#pragma unroll
        for (int i = 0; i < PLACES; i++) {
            if (x(i) < int(c.dst.width) && y(i) < int(c.dst.height)) *reinterpret_cast<u32*>(at<T>(c.dst, x(i), y(i))) = words[i];
        }
        return;
    }
    // By way of shared memory, so that the code is there once.
    __syncthreads();
    if (!makes) return;
#pragma unroll
    for (int i = 0; i < PLACES; i++) own.at(i) = words[i];
#pragma unroll 1
    for (int i = 0; i < PLACES; i++) write_word<T>(p, c, x(i), y(i), own.at(i));
}

// Kernels of words of T, that are opened to values as given.
#define MORPH(name, ...) \
    extern "C" __global__ void __launch_bounds__(THREADS) morph_##name(const Morph p) { morph<__VA_ARGS__>(p); }
#define MORPHS(name, ...) \
    MORPH(across_2_##name, __VA_ARGS__, false, 2) \
    MORPH(across_8_##name, __VA_ARGS__, false, 8) \
    MORPH(across_16_##name, __VA_ARGS__, false, 16) \
    MORPH(down_2_##name, __VA_ARGS__, true, 2) \
    MORPH(down_8_##name, __VA_ARGS__, true, 8) \
    MORPH(down_16_##name, __VA_ARGS__, true, 16)
