// Pictures of R, G, B, A as hosts hold them, to the planes of a chain and back: the bytes of plugin-abi's editor::conversion.

#include "common/plane.cuh"
#include "generated/rgba.cuh"

constexpr int ACROSS = 32, DOWN = 8;  // threads of a block

// The weights of R and B in Y, and how much of the difference to Y is Cb and Cr: ITU-R BT.709.
constexpr float KR = 0.2126f, KB = 0.0722f, KG = 1.0f - KR - KB;
constexpr float CB = 2.0f * (1.0f - KB), CR = 2.0f * (1.0f - KR);

struct Colour {
    float c[3];
};

struct Half {
    u16 bits;
};

template <typename T>
struct Pixel {
    T c[4];
};

template <typename T>
struct alignas(4 * sizeof(T)) AlignedPixel {
    Pixel<T> pixel;
};

// What is no finite number is black, and infinity 1.
__device__ __forceinline__ float finite(float number) {
    const int bits = __float_as_int(number);
    return (bits & 0x7f800000) != 0x7f800000 ? number : bits == 0x7f800000 ? 1.0f : 0.0f;
}

__device__ __forceinline__ float number_of(u8 sample) { return float(sample) / 255.0f; }
__device__ __forceinline__ float number_of(u16 sample) { return float(sample) / 65535.0f; }
__device__ __forceinline__ float number_of(float sample) { return finite(sample); }

__device__ __forceinline__ float number_of(Half half) {
    const u32 exponent = half.bits >> 10 & 0x1f, fraction = half.bits & 0x3ff;
    const int bits = exponent == 0x1f ? int(0x7f800000u | fraction) : int((exponent + 112) << 23 | fraction << 13);
    const float size = exponent == 0 ? float(fraction) / 16777216.0f : __int_as_float(bits);
    return finite(half.bits & 0x8000 ? -size : size);
}

// The whole part, kept to 0 to `most`; what is no number is 0.
__device__ __forceinline__ u32 whole(float number, u32 most) {
    return number >= float(most) ? most : number > 0.0f ? u32(number) : 0;
}

template <typename T>
__device__ __forceinline__ T sample_of(float number);

template <>
__device__ __forceinline__ u8 sample_of<u8>(float number) {
    return whole(number * 255.0f + 0.5f, 255);
}

template <>
__device__ __forceinline__ u16 sample_of<u16>(float number) {
    return whole(number * 65535.0f + 0.5f, 65535);
}

template <>
__device__ __forceinline__ float sample_of<float>(float number) {
    return number;
}

// Half to even. Below 2^-14 halves have the step of the smallest, and a sum with 0.5 rounds to it.
template <>
__device__ __forceinline__ Half sample_of<Half>(float number) {
    number = number < -65504.0f ? -65504.0f : number > 65504.0f ? 65504.0f : number;
    const u32 all = __float_as_int(number), sign = all >> 16 & 0x8000, bits = all & 0x7fffffff;
    const float size = __int_as_float(bits);
    if (size < 6.103515625e-05f) return Half{u16(sign | (__float_as_int(size + 0.5f) - 0x3f000000))};
    return Half{u16(sign | (((bits + 0xfff + (bits >> 13 & 1)) >> 13) - (112 << 10)))};
}

// Roots by Newton's method, as editor::colours has them.
__device__ __forceinline__ double cube_root(double x) {
    double r = __longlong_as_double(__double_as_longlong(x) / 3 + 0x2a9f789300000000ll);
    for (int i = 0; i < 4; i++) r = (2.0 * r + x / (r * r)) / 3.0;
    return r;
}

__device__ __forceinline__ double fifth_root(double x) {
    double r = __longlong_as_double(__double_as_longlong(x) / 5 + 0x3325ced900000000ll);
    for (int i = 0; i < 4; i++) r = (4.0 * r + x / (r * r * (r * r))) / 5.0;
    return r;
}

// The value of sRGB for light, and the light of a value.
__device__ __forceinline__ float encoded(float light) {
    if (light <= 0.0031308f) return 12.92f * light;
    const double root = cube_root(__dsqrt_rn(__dsqrt_rn(double(light))));
    return 1.055f * float(root * root * (root * root) * root) - 0.055f;
}

__device__ __forceinline__ float decoded(float value) {
    if (value <= 0.04045f) return value / 12.92f;
    const double base = double((value + 0.055f) / 1.055f), root = fifth_root(base);
    return float(base * base * (root * root));
}

__device__ __forceinline__ Colour displayed(const Rgba& p, Colour colour) {
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const float c = colour.c[i], inside = c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
        colour.c[i] = p.linear ? encoded(inside) : inside;
    }
    return colour;
}

__device__ __forceinline__ Colour seen(const Rgba& p, const Colour& colour) {
    const Colour rgb = displayed(p, colour);
    if (!p.ycbcr) return rgb;
    const float y = KR * rgb.c[0] + KG * rgb.c[1] + KB * rgb.c[2];
    return Colour{{y, (rgb.c[2] - y) / CB, (rgb.c[0] - y) / CR}};
}

// R, G, B of what filters see, and of a difference of it.
__device__ __forceinline__ Colour rgb_of(const Rgba& p, const Colour& seen) {
    if (!p.ycbcr) return seen;
    const float y = seen.c[0], r = y + CR * seen.c[2], b = y + CB * seen.c[1];
    return Colour{{r, (y - KR * r - KB * b) / KG, b}};
}

__device__ __forceinline__ Colour shown(const Rgba& p, const Colour& made) {
    Colour colour = rgb_of(p, made);
    if (p.linear) {
#pragma unroll
        for (int i = 0; i < 3; i++) colour.c[i] = decoded(colour.c[i]);
    }
    return colour;
}

__device__ __forceinline__ Colour grown(const Rgba& p, Colour colour, const Colour& difference) {
    if (difference.c[0] == 0.0f && difference.c[1] == 0.0f && difference.c[2] == 0.0f) return colour;
    const Colour growth = rgb_of(p, difference);
    const Colour at = p.linear ? displayed(p, colour) : colour;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const float more = p.linear ? decoded(at.c[i] + growth.c[i]) - decoded(at.c[i]) : growth.c[i];
        colour.c[i] = colour.c[i] + more;
    }
    return colour;
}

// Pixel (x, y) of an image, whose rows may go upward.
template <typename T>
__device__ __forceinline__ T* pixel_at(const RgbaImage& image, int x, int y) {
    return reinterpret_cast<T*>(image.data + y * image.pitch + x * (long long)(4 * sizeof(T)));
}

template <typename T>
__device__ __forceinline__ Pixel<T> read(const RgbaImage& image, int x, int y) {
    const T* at = pixel_at<T>(image, x, y);
    return image.aligned ? reinterpret_cast<const AlignedPixel<T>*>(at)->pixel : *reinterpret_cast<const Pixel<T>*>(at);
}

template <typename T>
__device__ __forceinline__ void write(const RgbaImage& image, int x, int y, const Pixel<T>& pixel) {
    T* at = pixel_at<T>(image, x, y);
    if (image.aligned)
        reinterpret_cast<AlignedPixel<T>*>(at)->pixel = pixel;
    else
        *reinterpret_cast<Pixel<T>*>(at) = pixel;
}

template <typename T>
__device__ __forceinline__ Colour colour_of(const Pixel<T>& pixel) {
    return Colour{{number_of(pixel.c[0]), number_of(pixel.c[1]), number_of(pixel.c[2])}};
}

template <typename T>
__device__ __forceinline__ void rgba_in(const Rgba& p) {
    const int x = blockIdx.x * ACROSS + threadIdx.x, y = blockIdx.y * DOWN + threadIdx.y;
    if (x >= int(p.before[0].width) || y >= int(p.before[0].height)) return;
    const Pixel<T> pixel = read<T>(p.source, x, y);
    if (p.codes) {
#pragma unroll
        for (int i = 0; i < 3; i++) *at<T>(p.before[i], x, y) = pixel.c[i];
        return;
    }
    const Colour colour = seen(p, colour_of(pixel));
#pragma unroll
    for (int i = 0; i < 3; i++) *at<u16>(p.before[i], x, y) = whole(colour.c[i] * p.gain[i] + (p.zero[i] + 0.5f), 65535);
}

// What became of a pixel of numbers.
template <typename T>
__device__ __forceinline__ Pixel<T> made(const Rgba& p, const Pixel<T>& from, int x, int y) {
    const Colour colour = colour_of(from);
    Colour result;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const float after = *at<u16>(p.after[i], x, y);
        const float less = p.carries ? float(*at<u16>(p.before[i], x, y)) : p.made_zero[i];
        result.c[i] = (after - less) / p.made_gain[i];
    }
    result = p.carries ? grown(p, colour, result) : shown(p, result);
    const float alpha = number_of(from.c[3]);
    Pixel<T> to = from;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        float c = result.c[i];
        // A premultiplied colour stays at or below its alpha where it was.
        if (p.premultiplied && colour.c[i] >= 0.0f && colour.c[i] <= alpha) c = c < 0.0f ? 0.0f : c > alpha ? alpha : c;
        to.c[i] = sample_of<T>(c);
    }
    return to;
}

template <typename T>
__device__ __forceinline__ void rgba_out(const Rgba& p) {
    const int x = blockIdx.x * ACROSS + threadIdx.x, y = blockIdx.y * DOWN + threadIdx.y;
    if (x >= int(p.width) || y >= int(p.height)) return;
    const int from_x = x + p.left, from_y = y + p.top;
    Pixel<T> to = {};
    if (from_x >= 0 && from_x < int(p.after[0].width) && from_y >= 0 && from_y < int(p.after[0].height)) {
        to = read<T>(p.source, from_x, from_y);
        if (p.codes) {
#pragma unroll
            for (int i = 0; i < 3; i++) to.c[i] = *at<T>(p.after[i], from_x, from_y);
        } else {
            to = made(p, to, from_x, from_y);
        }
    }
    write(p.target, x, y, to);
}

#define DEPTH(suffix, T)                                                                                             \
    extern "C" __global__ void __launch_bounds__(ACROSS* DOWN) rgba_in_##suffix(const Rgba p) { rgba_in<T>(p); }       \
    extern "C" __global__ void __launch_bounds__(ACROSS* DOWN) rgba_out_##suffix(const Rgba p) { rgba_out<T>(p); }

DEPTH(u8, u8)
DEPTH(u16, u16)
DEPTH(f16, Half)
DEPTH(f32, float)
