// expr: an expression of the user's, whose steps are interpreted. src/filters/expr is the other side.
//
// A thread does each step for some samples of a row, which share what it costs to choose it. Registers are in shared memory,
// where a thread reads and writes its own alone.

#include "common/plane.cuh"
#include "generated/expr.cuh"

// As src/filters/expr/tuning.rs has them.
constexpr int THREADS = 64, SAMPLES = 4, ROWS = 8;

// Values without operands, and functions in the order of src/filters/expr/op.rs.
enum Value : u32 {
    NUMBER, SOURCE, COLUMN, ROW, FRAME,
    ADD, SUB, MUL, DIV, MOD, POW, MAX, MIN, GREATER, LESS, EQUAL, AT_LEAST, AT_MOST, AND, OR, XOR, NOT, CHOOSE, CLIP,
    ABS, SQRT, EXP, LOG, SIN, COS, FLOOR, CEIL, TRUNC, ROUND
};

// The functions of src/filters/expr/functions.rs, operation by operation.

constexpr double LN2_HIGH = 6.931471803691238e-1, LN2_LOW = 1.9082149292705877e-10;
constexpr double HALF_PI_HIGH = 1.5707963267341256, HALF_PI_LOW = 6.077100506506192e-11;
constexpr double LOG2_E = 1.44269504088896340735992468100, TWO_OVER_PI = 0.636619772367581343075535053490;
constexpr double SQRT2 = 1.41421356237309504880168872421;

// 1/n!
__device__ __forceinline__ constexpr double inverse_factorial(int n) {
    double factorial = 1.0;
    for (int i = 1; i <= n; i++) factorial *= double(i);
    return 1.0 / factorial;
}

__device__ __forceinline__ double number_of_nothing() { return __longlong_as_double(0x7ff8000000000000ll); }
__device__ __forceinline__ double infinity() { return __longlong_as_double(0x7ff0000000000000ll); }

__device__ __forceinline__ double wide_exp(double x) {
    if (x < -110.0) x = -110.0;
    if (x > 90.0) x = 90.0;
    const double k = floor(x * LOG2_E + 0.5);
    const double r = x - k * LN2_HIGH - k * LN2_LOW;
    double sum = inverse_factorial(13);
#pragma unroll
    for (int n = 12; n >= 0; n--) sum = sum * r + inverse_factorial(n);
    return sum * __longlong_as_double((long long)(int(k) + 1023) << 52);
}

__device__ __forceinline__ double wide_log(double x) {
    const long long bits = __double_as_longlong(x);
    const double mantissa = __longlong_as_double((bits & 0x000fffffffffffffll) | 0x3ff0000000000000ll);
    const int exponent = int(u64(bits) >> 52) - 1023;
    const bool is_high = mantissa > SQRT2;
    const double m = is_high ? mantissa * 0.5 : mantissa;
    const double e = double(exponent + (is_high ? 1 : 0));
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    double sum = 1.0 / 21.0;
#pragma unroll
    for (int n = 9; n >= 0; n--) sum = sum * z + 1.0 / double(2 * n + 1);
    const double log = e * LN2_HIGH + (2.0 * s * sum + e * LN2_LOW);
    if (x > 0.0 && x < infinity()) return log;
    if (x == 0.0) return -infinity();
    return x > 0.0 ? x : number_of_nothing();
}

__device__ __forceinline__ float power(float x, float y) {
    const float power = float(wide_exp(double(y) * wide_log(double(fabsf(x)))));
    const float from_even = y - 2.0f * floorf(y * 0.5f);
    if (y == 0.0f) return 1.0f;
    if (x < 0.0f && from_even == 1.0f) return -power;
    if (x < 0.0f && from_even != 0.0f) return float(number_of_nothing());
    return power;
}

// The sine of x and as many quarter turns.
__device__ __forceinline__ float sine(double x, double quarters) {
    const double k = floor(x * TWO_OVER_PI + 0.5);
    const double r = x - k * HALF_PI_HIGH - k * HALF_PI_LOW;
    const double z = r * r;
    double sine = inverse_factorial(17), cosine = inverse_factorial(16);
#pragma unroll
    for (int n = 7; n >= 0; n--) {
        sine = inverse_factorial(2 * n + 1) - z * sine;
        cosine = inverse_factorial(2 * n) - z * cosine;
    }
    const double turn = k + quarters;
    const double quarter = turn - 4.0 * floor(turn * 0.25);
    const bool is_odd = quarter == 1.0 || quarter == 3.0;
    double value = is_odd ? cosine : r * sine;
    if (quarter >= 2.0) value = -value;
    return fabs(x) <= 1e6 ? float(value) : float(number_of_nothing());
}

// Functions that take long are called, so that their registers and instructions are there once.
__device__ __noinline__ float slow(u32 value, float a, float b) {
    switch (value) {
        case POW: return power(a, b);
        case EXP: return float(wide_exp(double(a)));
        case LOG: return float(wide_log(double(a)));
        case SIN: return sine(double(a), 0.0);
        case COS: return sine(double(a), 1.0);
        default: return fmodf(a, b);
    }
}

typedef float Samples[SAMPLES];

template <typename Function>
__device__ __forceinline__ void each(Samples& out, const Function& function) {
#pragma unroll
    for (int i = 0; i < SAMPLES; i++) out[i] = function(i);
}

// A function of samples.
__device__ __forceinline__ void apply(u32 value, const Samples& a, const Samples& b, const Samples& c, Samples& out) {
    switch (value) {
        case ADD: each(out, [&](int i) { return a[i] + b[i]; }); break;
        case SUB: each(out, [&](int i) { return a[i] - b[i]; }); break;
        case MUL: each(out, [&](int i) { return a[i] * b[i]; }); break;
        case DIV: each(out, [&](int i) { return a[i] / b[i]; }); break;
        case MAX: each(out, [&](int i) { return a[i] > b[i] ? a[i] : b[i]; }); break;
        case MIN: each(out, [&](int i) { return a[i] < b[i] ? a[i] : b[i]; }); break;
        case GREATER: each(out, [&](int i) { return a[i] > b[i] ? 1.0f : 0.0f; }); break;
        case LESS: each(out, [&](int i) { return a[i] < b[i] ? 1.0f : 0.0f; }); break;
        case EQUAL: each(out, [&](int i) { return a[i] == b[i] ? 1.0f : 0.0f; }); break;
        case AT_LEAST: each(out, [&](int i) { return a[i] >= b[i] ? 1.0f : 0.0f; }); break;
        case AT_MOST: each(out, [&](int i) { return a[i] <= b[i] ? 1.0f : 0.0f; }); break;
        case AND: each(out, [&](int i) { return a[i] > 0.0f && b[i] > 0.0f ? 1.0f : 0.0f; }); break;
        case OR: each(out, [&](int i) { return a[i] > 0.0f || b[i] > 0.0f ? 1.0f : 0.0f; }); break;
        case XOR: each(out, [&](int i) { return (a[i] > 0.0f) != (b[i] > 0.0f) ? 1.0f : 0.0f; }); break;
        case NOT: each(out, [&](int i) { return a[i] > 0.0f ? 0.0f : 1.0f; }); break;
        case CHOOSE: each(out, [&](int i) { return a[i] > 0.0f ? b[i] : c[i]; }); break;
        case CLIP:
            each(out, [&](int i) {
                const float low = a[i] > b[i] ? a[i] : b[i];
                return low < c[i] ? low : c[i];
            });
            break;
        case ABS: each(out, [&](int i) { return fabsf(a[i]); }); break;
        case SQRT: each(out, [&](int i) { return sqrtf(a[i]); }); break;
        case FLOOR: each(out, [&](int i) { return floorf(a[i]); }); break;
        case CEIL: each(out, [&](int i) { return ceilf(a[i]); }); break;
        case TRUNC: each(out, [&](int i) { return truncf(a[i]); }); break;
        case ROUND:
            each(out, [&](int i) {
                const float below = floorf(a[i]);
                return a[i] - below >= 0.5f ? below + 1.0f : below;
            });
            break;
        default:
#pragma unroll 1
            for (int i = 0; i < SAMPLES; i++) out[i] = slow(value, a[i], b[i]);
    }
}

extern __shared__ float4 registers[];

__device__ __forceinline__ void read(u32 number, Samples& out) {
    const float4 four = registers[number * THREADS + threadIdx.x];
    out[0] = four.x, out[1] = four.y, out[2] = four.z, out[3] = four.w;
}

// What a step gives for the samples of this thread, THREADS apart from column x of row y on.
__device__ __forceinline__ void run(const ExprComponent& c, float frame, const uint2& step, int x, int y, Samples& out) {
    const u32 value = step.x & 0xff;
    switch (value) {
        case NUMBER: each(out, [&](int) { return __uint_as_float(step.y); }); break;
        case SOURCE: {
            const Plane& source = step.y == 0 ? c.source[0] : step.y == 1 ? c.source[1] : c.source[2];
            const float scale = 1.0f / c.unit;
            each(out, [&](int i) {
                return float(load(source, min(x + i * THREADS, int(source.width) - 1), y)) * scale;
            });
            break;
        }
        case COLUMN: each(out, [&](int i) { return float(x + i * THREADS); }); break;
        case ROW: each(out, [&](int) { return float(y); }); break;
        case FRAME: each(out, [&](int) { return frame; }); break;
        default: {
            Samples a, b, d;
            read(step.x >> 16 & 0xff, a);
            read(step.x >> 24, b);
            read(step.y, d);
            apply(value, a, b, d, out);
        }
    }
    registers[(step.x >> 8 & 0xff) * THREADS + threadIdx.x] = make_float4(out[0], out[1], out[2], out[3]);
}

// The sample of 16 bits that a result is: what is no number is 0.
__device__ __forceinline__ int sample_of(float result, float unit) {
    float value = result * unit;
    value = value > 0.0f ? value : 0.0f;
    value = value < 65535.0f ? value : 65535.0f;
    return int(value + 0.5f);
}

extern "C" __global__ void __launch_bounds__(THREADS) expr(const ExprArgs p) {
    u32 block = blockIdx.x;
    const ExprComponent& c = component_of(p.component, block);
    const int x = block % c.across * (THREADS * SAMPLES) + threadIdx.x;
    const int top = block / c.across * ROWS, width = c.dst.width;
    if (x >= width) return;
    for (int y = top; y < min(top + ROWS, int(c.dst.height)); y++) {
        Samples out;
        if (c.steps == 0) {
            each(out, [&](int i) { return float(load(c.source[0], min(x + i * THREADS, width - 1), y)); });
        }
        for (u32 i = 0; i < c.steps; i++) run(c, p.frame, __ldg(c.program + i), x, y, out);
#pragma unroll
        for (int i = 0; i < SAMPLES; i++) {
            const int column = x + i * THREADS;
            if (column < width) store(c.dst, column, y, sample_of(out[i], c.unit));
        }
    }
}
