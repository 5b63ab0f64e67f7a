// erode, dilate, open, close, minmax of any size: extremes of windows along one axis, a launch for each axis and step.
//
// A line is cut into chunks no longer than a window. With the extremes from each place to its chunk's end, those of whole chunks,
// and those from a chunk's beginning on, a result takes one comparison more (van Herk, Gil and Werman). A thread takes PLACES
// places of a word of lines: a word holds samples of several lines, which are compared at once. Only what reaches to a chunk's end
// is shared with other threads; what begins at one stays in registers, where it meets the other end of its windows.

#pragma once

#include "common/four.cuh"
#include "common/pair.cuh"
#include "generated/morph.cuh"

// As src/filters/morph/tuning.rs has them.
constexpr int PLACES = 16, LINES_DOWN = 8;

// A bound of the threads of a block, at which the compiler takes no more registers than 40: more blocks wait at once.
constexpr int THREADS = 512;

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

// What words are opened to, so that they are compared: `extreme` of two, the smaller or the larger one.

// Four bytes at once.
struct Bytes {
    u32 word;
    static __device__ __forceinline__ Bytes open(u32 word) { return {word}; }
    __device__ __forceinline__ u32 close() const { return word; }
};
template <bool MAX>
__device__ __forceinline__ Bytes extreme(Bytes a, Bytes b) {
    return {MAX ? __vmaxu4(a.word, b.word) : __vminu4(a.word, b.word)};
}

// Lanes of 16 bits one by one.
struct Halves {
    u32 low, high;
    static __device__ __forceinline__ Halves open(u32 word) { return {word & 0xffff, word >> 16}; }
    __device__ __forceinline__ u32 close() const { return even_u16(low, high); }
};
template <bool MAX>
__device__ __forceinline__ Halves extreme(Halves a, Halves b) {
    return {MAX ? max(a.low, b.low) : min(a.low, b.low), MAX ? max(a.high, b.high) : min(a.high, b.high)};
}

// Four bytes as two pairs.
struct BytePairs {
    Pair<true> even, odd;
    static __device__ __forceinline__ BytePairs open(u32 word) { return {{word & 0x00ff00ff}, {__byte_perm(word, 0, 0x4341)}}; }
    __device__ __forceinline__ u32 close() const { return __byte_perm(even.codes, odd.codes, 0x6240); }
};
#if __CUDA_ARCH__ >= 800
template <bool MAX>
__device__ __forceinline__ BytePairs extreme(BytePairs a, BytePairs b) {
    return {MAX ? most(a.even, b.even) : least(a.even, b.even), MAX ? most(a.odd, b.odd) : least(a.odd, b.odd)};
}
#endif

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

    __device__ __forceinline__ Layout()
        : thread(DOWN ? threadIdx.y : threadIdx.x), line(DOWN ? threadIdx.x : threadIdx.y),
          words(shared + (DOWN ? thread * THREAD + line : (line * int(blockDim.x) + thread) * THREAD)) {}

    // The word at a place, of which those of threads before this one have numbers below 0.
    __device__ __forceinline__ u32& at(int place) const { return words[(place - ((PLACES - 1 - place) >> 4)) * STEP]; }
};

// A thread's words of a line down, from place y on.
template <typename T>
__device__ __forceinline__ bool read_down(const Plane& src, int x, int y, u32 (&words)[PLACES]) {
    if (src.step != 1 || x + Packed<T>::COUNT > int(src.width) || !vectors_fit(src, 4)) return false;
    const u8* const column = reinterpret_cast<const u8*>(at<T>(src, x, 0));
#pragma unroll
    for (int i = 0; i < PLACES; i++) {
        const u8* const word = column + u64(u32(inside(y + i, src.height))) * src.pitch;
        words[i] = Packed<T>::whole(src, __ldg(reinterpret_cast<const u32*>(word)));
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
    const u32* row[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        row[k] = reinterpret_cast<const u32*>(src.data + u64(u32(inside(y + k, src.height))) * src.pitch);
    }
    if (first >= 0 && first + PLACES + COUNT <= width) {
#pragma unroll
        for (int k = 0; k < COUNT; k++)
#pragma unroll
            for (int i = 0; i <= WIDE; i++) rows[k][i] = __ldg(row[k] + first / COUNT + i);
    } else {
        // Words beside the plane repeat the outermost sample.
#pragma unroll
        for (int i = 0; i <= WIDE; i++) {
            const int at = first + i * COUNT;
            const u32 take = at < 0 ? (COUNT == 4 ? 0x0000 : 0x1010) : at < width ? 0x3210 : COUNT == 4 ? 0x3333 : 0x3232;
#pragma unroll
            for (int k = 0; k < COUNT; k++) rows[k][i] = __byte_perm(__ldg(row[k] + inside(at, width) / COUNT), 0, take);
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

// Smallest or largest samples, of chunks of CHUNKS places: those of windows that begin 2 * radius before each of a thread's
// places and end there.
template <typename T, typename Value, bool DOWN, int CHUNKS, bool MAX>
__device__ __forceinline__ void extremes(const Morph& p, const Layout<DOWN>& own, bool makes, u32 (&words)[PLACES]) {
    constexpr int STEP = Layout<DOWN>::STEP;
    Value last;
#pragma unroll
    for (int i = PLACES - 1; i >= 0; i--) {
        const Value value = Value::open(words[i]);
        last = (i + 1) % CHUNKS == 0 ? value : extreme<MAX>(last, value);
        own.at(i) = last.close();
    }
    __syncthreads();
    if (!makes) return;
    // From here on words are opened anew: all of them open would take twice the registers.
#pragma unroll
    for (int i = 0; i < PLACES; i++) asm volatile("" : "+r"(words[i]));
    // Windows begin so many chunks and places before they end.
    const int back = 2 * p.radius, chunks = back / CHUNKS, places = back % CHUNKS;
#pragma unroll
    for (int first = 0; first < PLACES; first += CHUNKS) {
        // Of the whole chunks that all these windows hold, and of the one that some hold.
        Value so_far = Value::open(words[first]);
        for (int k = 1; k < chunks; k++) {
            // Where a chunk is what a thread has, the address is a multiple.
            const u32 whole = CHUNKS == PLACES ? own.words[-k * Layout<DOWN>::THREAD] : own.at(first - k * CHUNKS);
            so_far = extreme<MAX>(so_far, Value::open(whole));
        }
        const u32* const chunk = &own.at(first - chunks * CHUNKS);
        const Value some = Value::open(*chunk);
        // Where windows begin, in the chunk before that one and in it.
        const u32 *const before = &own.at(first - back), *const within = chunk - places * STEP;
#pragma unroll
        for (int i = 0; i < CHUNKS; i++) {
            if (i > 0) so_far = extreme<MAX>(so_far, Value::open(words[first + i]));
            Value made = extreme<MAX>(so_far, Value::open((i < places ? before : within)[i * STEP]));
            if (i < places) made = extreme<MAX>(made, some);
            words[first + i] = made.close();
        }
    }
}

template <typename T, typename Value, bool DOWN, int CHUNKS>
__device__ __forceinline__ void morph(const Morph& p) {
    constexpr int COUNT = Packed<T>::COUNT;
    u32 block = blockIdx.x;
    const MorphComponent& c = component_of(p.component, block);
    const Layout<DOWN> own;
    // The first threads of a line only help others.
    const int halo = (2 * p.radius + PLACES - 1) / PLACES, places = (int(p.threads) - halo) * PLACES;
    const int side = block % c.across * p.lines * COUNT, start = block / c.across * places;
    if (!c.computes) {
        const int beside = int(p.lines) * COUNT;
        for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < places * beside; i += blockDim.x * blockDim.y) {
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
    // A window of one sample is shorter than any chunk.
    if (p.radius > 0) {
        if (p.is_max) {
            extremes<T, Value, DOWN, CHUNKS, true>(p, own, makes, words);
        } else {
            extremes<T, Value, DOWN, CHUNKS, false>(p, own, makes, words);
        }
    }
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
    if (DOWN && stores_alike<T>(p, c.dst) && c.dst.width % COUNT == 0) {
        if (!makes || line >= int(c.dst.width)) return;
        u8* const column = reinterpret_cast<u8*>(at<T>(c.dst, line, made));
        const int rows = int(c.dst.height) - made;
#pragma unroll
        for (u32 i = 0; i < PLACES; i++) {
            if (int(i) < rows) *reinterpret_cast<u32*>(column + u64(i * c.dst.pitch)) = words[i];
        }
        return;
    }
    if (!DOWN && stores_alike<T>(p, c.dst) && c.dst.width % COUNT == 0) {
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

// Kernels of words of T, that are opened to values as given, for chunks of so many places. Of each axis the bounds say how many
// threads a block has, and how many blocks shall fit a multiprocessor.
#define MORPH(name, bounds, ...) \
    extern "C" __global__ void __launch_bounds__ bounds morph_##name(const Morph p) { \
        wait_for_launch_before(); \
        morph<__VA_ARGS__>(p); \
    }
#define MORPHS(name, across, down, chunks, ...) \
    MORPH(across_##chunks##_##name, across, __VA_ARGS__, false, chunks) \
    MORPH(down_##chunks##_##name, down, __VA_ARGS__, true, chunks)
