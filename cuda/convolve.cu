// convolve: weighted sums of the samples of a window, exact in integers.
//
// Sums of 8-bit samples are multiples of 256 below 2^31: floats hold them exactly, and multiply and add twice as many in the
// same time. Other samples are summed in integers.

#include "convolve.cuh"

struct alignas(16) Floats { float v[4]; };
struct alignas(16) Ints { int v[4]; };

// A sum's type, and four of them.
template <typename T>
struct Kind;
template <>
struct Kind<float> {
    typedef Floats Four;
    static __device__ __forceinline__ float add(float a, float b, float sum) { return __fmaf_rn(a, b, sum); }
    static __device__ __forceinline__ float of(u32 word) { return __uint_as_float(word); }
    static __device__ __forceinline__ int whole(float sum) { return __float2int_rn(sum); }
};
template <>
struct Kind<int> {
    typedef Ints Four;
    static __device__ __forceinline__ int add(int a, int b, int sum) { return a * b + sum; }
    static __device__ __forceinline__ int of(u32 word) { return int(word); }
    static __device__ __forceinline__ int whole(int sum) { return sum; }
};

template <typename T>
__device__ __forceinline__ typename Kind<T>::Four four_words(const u32* from) {
    const uint4 words = __ldg(reinterpret_cast<const uint4*>(from));
    return {{Kind<T>::of(words.x), Kind<T>::of(words.y), Kind<T>::of(words.z), Kind<T>::of(words.w)}};
}

// Sums of columns: `rows` rows of `pitch` words, a multiple of four each. A thread sums four columns of four rows.
template <typename T>
__device__ __forceinline__ void sum_columns(const Convolve& k, const T* tile, T* sums, int rows, int pitch) {
    typedef typename Kind<T>::Four Four;
    const int across = pitch / 4, count = 2 * k.radius_h + 1;
    for (int item = threadIdx.x; item < across * rows / 4; item += THREADS) {
        const int x = item % across * 4, y = item / across * 4;
        T sum[4][4] = {}, weights[4] = {};
        // Behind the last weight there are three that are 0.
#pragma unroll 4
        for (int j = 0; j < count + 3; j++) {
            const Four samples = *reinterpret_cast<const Four*>(tile + (y + j) * pitch + x);
#pragma unroll
            for (int r = 3; r > 0; r--) weights[r] = weights[r - 1];
            weights[0] = Kind<T>::of(__ldg(k.down + j));
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int i = 0; i < 4; i++) sum[r][i] = Kind<T>::add(weights[r], samples.v[i], sum[r][i]);
        }
#pragma unroll
        for (int r = 0; r < 4; r++)
            *reinterpret_cast<Four*>(sums + (y + r) * pitch + x) = {{sum[r][0], sum[r][1], sum[r][2], sum[r][3]}};
    }
}

template <typename T, int OUTPUTS>
__device__ __forceinline__ void convolve(const WindowArgs& args, const Convolve& k) {
    typedef typename Kind<T>::Four Four;
    constexpr int ROWS = BLOCK_ROWS<OUTPUTS>;
    const Place place(args, ROWS, blockIdx.x);
    const WindowComponent& c = place.c;
    if (!c.computes) return pass_on<COLUMNS, THREADS>(c.src, c.dst, place.left, place.top, ROWS);
    const int fours = k.fours, pitch = COLUMNS + 4 * fours, rows = ROWS + 2 * k.radius_h;
    T* const tile = reinterpret_cast<T*>(shared);
    fill(place, k.radius_w, k.radius_h, rows, pitch, tile, [](u32 lane) { return T(int(lane) - 0x8000); });
    __syncthreads();
    const T* from = tile;
    int count = 2 * k.radius_h + 1;
    if (k.down != nullptr) {
        T* const sums = tile + rows * pitch;
        sum_columns(k, tile, sums, ROWS, pitch);
        __syncthreads();
        from = sums;
        count = 1;
    }

    const int x = threadIdx.x % (COLUMNS / OUTPUTS) * OUTPUTS, y = threadIdx.x / (COLUMNS / OUTPUTS);
    if (place.left + x >= int(c.dst.width) || place.top + y >= int(c.dst.height)) return;
    T sums[OUTPUTS] = {};
    const u32* weights = k.weights;
#pragma unroll 1
    for (int v = 0; v < count; v++) {
        const Four* words = reinterpret_cast<const Four*>(from + (y + v) * pitch + x);
        T samples[OUTPUTS + 4];
#pragma unroll
        for (int i = 0; i < OUTPUTS; i += 4, words++)
#pragma unroll
            for (int j = 0; j < 4; j++) samples[i + j] = words->v[j];
#pragma unroll 2
        for (int four = 0; four < fours; four++, words++, weights += 4) {
            const Four weight = four_words<T>(weights);
#pragma unroll
            for (int j = 0; j < 4; j++) samples[OUTPUTS + j] = words->v[j];
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int i = 0; i < OUTPUTS; i++) sums[i] = Kind<T>::add(weight.v[j], samples[i + j], sums[i]);
#pragma unroll
            for (int i = 0; i < OUTPUTS; i++) samples[i] = samples[i + 4];
        }
    }
    int lanes[OUTPUTS];
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++) lanes[i] = quotient(k.quotient, Kind<T>::whole(sums[i]));
    store_lanes(place, x, y, lanes);
}

#define CONVOLVE(name, ...) \
    extern "C" __global__ void __launch_bounds__(THREADS, 2) convolve_##name(const WindowArgs args, const Convolve k) { \
        convolve<__VA_ARGS__>(args, k); \
    }
CONVOLVE(u8_4, float, 4)
CONVOLVE(u8_8, float, 8)
CONVOLVE(u16_4, int, 4)
CONVOLVE(u16_8, int, 8)
