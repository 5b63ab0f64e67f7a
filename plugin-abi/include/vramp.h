/*
 * vramp as a library: a chain of video filters for any program. This header is the description of the ABI.
 *
 *   vramp_chain *chain;
 *   vramp_stream input = { .struct_size = sizeof input, .layout = VRAMP_YUV420, .bit_depth = 8, .width = 1920, .height = 1080 };
 *   if (vramp_chain_create("deband=range=16,depth=10", &input, NULL, &chain) != VRAMP_OK)
 *       fprintf(stderr, "%s\n", vramp_last_error());
 *   ... for every frame: vramp_process(chain, &frame, &src, &dst) ...
 *   vramp_chain_destroy(chain);
 *
 * Versions. Structs begin with their size, which the caller sets to sizeof: a library that is newer than the caller takes
 * the shorter struct, and one that is older takes a longer struct whose additional bytes are zero. So initialise structs
 * with { .struct_size = sizeof x }, which clears the rest. What exists keeps its meaning within a major version.
 *
 * Results. A function that can fail returns a vramp_status. On failure vramp_last_error() gives the calling thread the reason, in
 * one line. Nothing is written to the caller's memory then, unless stated below.
 *
 * Handles are numbers that look like pointers: one that has been destroyed, or never was, is refused and not followed. They
 * are valid in every thread of the process. Pointers to memory are followed: they must be what the function says.
 *
 * Threads. Every function may be called from any thread at any time, several at once, also with the same handle, unless
 * stated otherwise. A handle that is destroyed while another thread uses it is freed when that use ends.
 *
 * Text is UTF-8 and ends with a NUL. Text that the library returns is never freed by the caller, and stays until the
 * process ends unless stated otherwise.
 */
#ifndef VRAMP_H
#define VRAMP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Major version << 16 | minor version of the ABI that this header describes. */
#define VRAMP_ABI_VERSION 0x00010002

/* What a function's outcome was: VRAMP_OK, a state that is no error (positive), or an error (negative: the exit code that
   the vramp command has for it). */
typedef int32_t vramp_status;
enum {
    VRAMP_OK = 0,
    VRAMP_AGAIN = 1,             /* not now: see vramp_queue_submit and vramp_queue_receive */
    VRAMP_EMPTY = 2,             /* nothing to receive */
    VRAMP_BAD_ARGUMENT = -2,     /* unknown name, value out of range, chain that does not parse, struct that is not right */
    VRAMP_UNSUPPORTED = -3,      /* a sound request that this library or machine cannot do */
    VRAMP_OUT_OF_MEMORY = -5,    /* of the host or of the GPU */
    VRAMP_DEVICE = -6,           /* the GPU or its driver failed */
    VRAMP_INTERNAL = -70,        /* a fault in vramp: please report it */
    VRAMP_CANCELLED = -130,      /* the queue was destroyed meanwhile */
    /* The command's alone. */
    VRAMP_MISMATCH = -1,
    VRAMP_CORRUPT_INPUT = -4,
    VRAMP_IO = -7,
    VRAMP_INCOMPLETE = -8,
    VRAMP_PARTS_MISSING = -9
};

/* Which components a picture has, and how they lie in memory. */
typedef int32_t vramp_layout;
enum {
    VRAMP_LAYOUT_DEFAULT = 0,    /* in vramp_options alone */
    VRAMP_GRAY = 1,              /* one plane */
    VRAMP_YUV420 = 2,            /* planes Y, Cb, Cr; the size of chroma is rounded up */
    VRAMP_YUV422 = 3,
    VRAMP_YUV444 = 4,
    VRAMP_RGB = 5,               /* planes R, G, B */
    VRAMP_NV12 = 6,              /* planes Y and Cb Cr, 4:2:0; 8 bits, or 10, 12 or 16 at the top of 16 (p010, p012, p016) */
    VRAMP_RGBA = 7,              /* one plane of R, G, B, A; 8 bits, and from ABI 1.1 on 16, VRAMP_DEPTH_HALF and
                                    VRAMP_DEPTH_FLOAT. Alpha is copied from the frame of the same number as it is, so that a
                                    chain which changes the size or the number of frames is refused */
    VRAMP_YC48 = 8               /* one plane of signed 16-bit Y, Cb, Cr in AviUtl's scale; its bit depth is 12 */
};

/* Bit depths of numbers: black is 0 and white 1. */
enum {
    VRAMP_DEPTH_FLOAT = 32,      /* IEEE 754, 32 bits */
    VRAMP_DEPTH_HALF = -16       /* IEEE 754, 16 bits; in VRAMP_RGBA alone */
};

/* What black and white are. RGB is full range unless stated otherwise, everything else limited. */
typedef int32_t vramp_range;
enum {
    VRAMP_RANGE_UNSPECIFIED = 0,
    VRAMP_RANGE_LIMITED = 1,     /* luma 16 to 235 and chroma 16 to 240 at 8 bits */
    VRAMP_RANGE_FULL = 2
};

/* Whether a frame is one picture or two fields. */
typedef int32_t vramp_field_order;
enum {
    VRAMP_PROGRESSIVE = 0,
    VRAMP_TOP_FIRST = 1,
    VRAMP_BOTTOM_FIRST = 2
};

/* What every frame of a stream shares.
 *
 * Samples of 8 bits are uint8_t, of 9 to 16 bits uint16_t in the machine's byte order, at the low end unless the layout
 * says otherwise. A bit depth of 32 means float, in VRAMP_GRAY, VRAMP_YUV* and VRAMP_RGB: black is 0 and white 1, Cb and Cr
 * go from -0.5 to 0.5. Float is filtered as 16 bits of the stream's range. On the way in, luma, grey, R, G and B become
 * value * 65535 (full range) or value * 56064 + 4096 (limited), Cb and Cr value * 65535 + 32768 or value * 57344 + 32768,
 * computed in single precision and rounded to nearest, half up; what lies beyond 16 bits becomes the nearest value, and
 * NaN 0. On the way out the same scale is undone. RGBA of halves and floats is full range. Chains of filters that smooth samples
 * where they are (docs/PLUGINS.md lists them) give halves and floats, and RGBA that is filtered as YCbCr or as light, as their
 * source plus the difference that the filters made: what they leave alone comes out to the bit. */
typedef struct vramp_stream {
    uint32_t struct_size;
    vramp_layout layout;
    int32_t bit_depth;           /* 8 to 16, or VRAMP_DEPTH_* */
    vramp_range range;
    int32_t width;               /* 1 to 65535 */
    int32_t height;
} vramp_stream;

/* A stream beside a chain's own, by the name that the chain calls it by: "mask" in "merge=with=b:mask=mask". */
typedef struct vramp_input {
    uint32_t struct_size;
    uint32_t reserved;           /* 0 */
    const char *name;
    const vramp_stream *stream;
} vramp_input;

/* What a chain sees of RGBA: flags for vramp_options.rgba. Without them, of 8 and 16 bits the samples themselves. */
enum {
    VRAMP_RGBA_YCBCR = 1,        /* Y, Cb, Cr of BT.709 in 16 bits of limited range, for which filters' thresholds are made */
    VRAMP_RGBA_LINEAR = 2,       /* the values are light: filters see them through the curve of sRGB, which is undone */
    VRAMP_RGBA_PREMULTIPLIED = 4 /* colours are multiplied by alpha, and stay at or below it where they were */
};

/* How a chain is built. Zero everywhere is the default. */
typedef struct vramp_options {
    uint32_t struct_size;
    int32_t threads;             /* CPU threads that share a frame; 0 is one for each processor. 1 suits callers that
                                    filter several frames at once */
    const char *device;          /* NULL or "auto": the first GPU if there is one that works, else the CPU; "cpu"; "cuda";
                                    "cuda:N" */
    vramp_layout output_layout;  /* of the result: the input's components in planes (but RGBA and YC48 as they came); or
                                    another layout of the same components */
    int32_t output_bit_depth;    /* 0: what the chain ends in; for float input float, for RGBA the input's, and no other */
    const vramp_input *inputs;   /* the streams beside the chain's own, an array whose structs all have the same struct_size;
                                    NULL when there are none */
    uint32_t input_count;
    uint32_t reserved;           /* 0 */

    /* From ABI 1.1 on. */
    void *cuda_context;          /* a CUcontext of the caller's, in which the chain then works, on its device and no other: kernels,
                                    memory and streams are made there. NULL: the primary context of `device`. It must live when
                                    it is given; when it is destroyed before the chain, calls with the chain fail, and
                                    destroying the chain is still right */
    uint32_t rgba;               /* VRAMP_RGBA_* flags */
    uint32_t reserved_too;       /* 0 */
} vramp_options;

/* A frame, but its samples. */
typedef struct vramp_frame {
    uint32_t struct_size;
    vramp_field_order field_order;
    uint64_t index;              /* the frame's absolute place in its source, from 0: what is random depends on it, and on
                                    nothing that came before */
} vramp_frame;

/* Memory of a picture's planes, in the order of the layout: the first byte of each top row, and the bytes from one row to the
 * one below it. Those are not negative, but for VRAMP_RGBA, whose rows may lie from the bottom up. Pointers and pitches are multiples of
 * a sample's size; multiples of 64 are fastest. Entries beyond the layout's planes are zero. Source and target must not
 * overlap. */
typedef struct vramp_planes {
    uint32_t struct_size;
    uint32_t reserved;           /* 0 */
    void *data[4];
    int64_t pitch[4];
} vramp_planes;

typedef struct vramp_chain vramp_chain;
typedef struct vramp_queue vramp_queue;

/* ---- The library ---- */

/* VRAMP_ABI_VERSION of the library: the caller's major version must be the same. */
uint32_t vramp_abi_version(void);

/* The version of vramp, such as "0.1.0". */
const char *vramp_version(void);

/* Why the calling thread's last call failed; "" when it did not. Never NULL. The text is the last call's until the
   thread's next call; its memory stays for seven calls, so that printf("%d %s", call(), vramp_last_error()) does no harm where it asks
   first, though it then prints the text of the call before. */
const char *vramp_last_error(void);

typedef int32_t vramp_log_level;
enum {
    VRAMP_LOG_OFF = 0,
    VRAMP_LOG_ERROR = 1,
    VRAMP_LOG_WARNING = 2,
    VRAMP_LOG_INFO = 3,          /* at the start; such as that the CPU filters because the GPU failed */
    VRAMP_LOG_DEBUG = 4
};

/* Takes a message, one line without its end. May be called from any thread, several at once, and in the midst of a call: it
   must not call the library, but for vramp_last_error. */
typedef void (*vramp_log_callback)(void *user, vramp_log_level level, const char *text);

/* Sends messages of `level` and graver ones of the whole process to `callback`, or with NULL to standard error. A thread that
   is calling the one before may still be in it when this returns. */
vramp_status vramp_set_log(vramp_log_callback callback, void *user, vramp_log_level level);

/* ---- Filters, for programs that show them ---- */

typedef struct vramp_filter_info {
    uint32_t struct_size;
    uint32_t parameters;         /* how many there are */
    uint32_t presets;
    uint32_t reserved;
    const char *name;
    const char *summary;         /* one line */
} vramp_filter_info;

typedef int32_t vramp_kind;
enum {
    VRAMP_BOOL = 0,              /* "on" or "off"; minimum 0, maximum 1 */
    VRAMP_INT = 1,
    VRAMP_FLOAT = 2,
    VRAMP_CHOICE = 3,            /* one of `choices` */
    VRAMP_TEXT = 4,              /* text whose form `doc` says */
    VRAMP_NAME = 5               /* letters, digits and '_', a letter first */
};

typedef struct vramp_parameter_info {
    uint32_t struct_size;
    vramp_kind kind;
    int32_t takes_auto;          /* 1: "auto" is a value as well */
    uint32_t choices_count;
    double minimum;
    double maximum;
    const char *name;
    const char *unit;            /* "" when there is none */
    const char *doc;
    const char *default_value;   /* as a chain writes it */
    const char *const *choices;
} vramp_parameter_info;

typedef struct vramp_preset_info {
    uint32_t struct_size;
    uint32_t reserved;
    const char *name;
    const char *doc;
    const char *arguments;       /* what it stands for, as a chain writes it: "range=16:sample=2" */
} vramp_preset_info;

/* How many filters there are. */
uint32_t vramp_filter_count(void);

/* Fill in `info`, whose struct_size the caller has set; an index that is too large is VRAMP_BAD_ARGUMENT. */
vramp_status vramp_filter_get(uint32_t filter, vramp_filter_info *info);
vramp_status vramp_filter_parameter(uint32_t filter, uint32_t parameter, vramp_parameter_info *info);
vramp_status vramp_filter_preset(uint32_t filter, uint32_t preset, vramp_preset_info *info);

/* ---- Chains ---- */

/* Makes a chain for a stream from its text, as the command takes it: "deband=range=16:sample=2,depth=10" or "deband(range 16,
   sample 2) > depth(10)"; "@FILE" and "@FILE(name=value)" read a chain file. "" is a chain that copies. `options` may be NULL.
   Threads and the GPU are not touched before the first frame, or vramp_chain_prepare, but for a cuda_context, which must live. */
vramp_status vramp_chain_create(const char *text, const vramp_stream *input, const vramp_options *options,
                                vramp_chain **chain);

/* NULL is allowed. */
vramp_status vramp_chain_destroy(vramp_chain *chain);

/* Fills in what the chain makes of its stream; the caller has set struct_size. */
vramp_status vramp_chain_output(const vramp_chain *chain, vramp_stream *output);

/* How many inputs the chain has: its own, which is number 0, and those of vramp_options.inputs, from number 1 on. */
vramp_status vramp_chain_input_count(const vramp_chain *chain, uint32_t *count);

/* Which frames of an input frame `frame` of the result is made of: `first` to `last`, both included. `first` is never before
   0; where the stream ends before `last`, the frames that exist are enough, and the nearest is repeated. Frames of
   inputs beside the chain's own are counted as the frames that they are read with: of another rate or length, give under
   each number the frame that is shown at that time. */
vramp_status vramp_chain_needs(const vramp_chain *chain, uint64_t frame, uint32_t input, uint64_t *first, uint64_t *last);

/* How many frames the chain makes of `input_frames` frames of its own input (or of the one that it goes on from). */
vramp_status vramp_chain_frames(const vramp_chain *chain, uint64_t input_frames, uint64_t *frames);

/* The result's frame rate is the input's times `numerator` / `denominator`. */
vramp_status vramp_chain_rate(const vramp_chain *chain, uint64_t *numerator, uint64_t *denominator);

/* Makes ready what the first frame would wait for: the GPU, its kernels, threads, memory. Says whether the device can be
   used. */
vramp_status vramp_chain_prepare(vramp_chain *chain);

/* Filters a frame in host memory, and returns when it is done. Any frame, in any order; several threads at once filter several
   frames at once. After a failure what `dst` holds is not defined. For chains that make frame n of frame n of their own
   input alone; others are VRAMP_UNSUPPORTED here. */
vramp_status vramp_process(vramp_chain *chain, const vramp_frame *frame, const vramp_planes *src, const vramp_planes *dst);

/* A frame of one of a chain's inputs. */
typedef struct vramp_input_frame {
    uint32_t struct_size;
    uint32_t input;              /* its number; 0 is the chain's own */
    const vramp_frame *frame;
    const vramp_planes *planes;
} vramp_input_frame;

/* Makes frame `frame` of the result, as vramp_process does, of the `count` frames at `frames`, an array whose structs all have
   the same struct_size: those that vramp_chain_needs asks for of each input, as far as there are any, each input's in rising
   order without a gap. A missing frame is VRAMP_BAD_ARGUMENT. Inputs follow one another in any order. `result` may be NULL;
   else it gets the number and the field order of the frame that was made, and the caller has set its struct_size. */
vramp_status vramp_process_frames(vramp_chain *chain, uint64_t frame, const vramp_input_frame *frames, uint32_t count,
                                  const vramp_planes *dst, vramp_frame *result);

/* What the chain's filters measured of the last frame that the calling thread got from vramp_process, vramp_process_frames or
   vramp_queue_receive, as JSON: {"stats":{"y_min":16,"y_mean":90.5}}. Filters come in the chain's order, each with its values
   under its name; the second of the same name is "stats2". "" when nothing was measured. Stays until the thread gets its
   next frame. Never NULL. */
const char *vramp_last_record(void);

/* Filters a frame in GPU memory: the planes are device pointers (CUdeviceptr) of the chain's context: vramp_options.cuda_context,
   or the primary context of its device. All work, of RGBA the conversion there and back too, is put into `stream` (a CUstream of
   that context; NULL is the default stream) and the call returns without waiting: it begins after what is in the stream now, and
   ends before what is put there later. Errors of the work itself are the stream's. The thread's current context stays what it was.
   The result has the bytes of vramp_process. What the driver knows to be wrong is refused: memory of the host or of another
   context, a plane that is longer than its memory, a stream of another context. Not for planes of float, nor for chains that
   vramp_process refuses (vramp_process_frames_cuda takes those); and what is measured is lost. */
vramp_status vramp_process_cuda(vramp_chain *chain, const vramp_frame *frame, const vramp_planes *src,
                                const vramp_planes *dst, void *stream);

/* ---- Memory and timelines of other APIs, from ABI 1.2 on ---- */

/* Which number of "cuda:N" the device has that other APIs know by this identity of 16 bytes (Vulkan's deviceUUID).
   VRAMP_UNSUPPORTED when it is no CUDA device. */
vramp_status vramp_cuda_device(const uint8_t *uuid, uint32_t *number);

typedef int32_t vramp_handle_kind;
enum {
    VRAMP_HANDLE_FD = 1,         /* a file descriptor: Vulkan's OPAQUE_FD */
    VRAMP_HANDLE_WIN32 = 2       /* an NT handle, on Windows: Vulkan's OPAQUE_WIN32 */
};

/* Flags of memory. */
enum {
    VRAMP_MEMORY_DEDICATED = 1   /* it was allocated for one resource alone (Vulkan's dedicated allocation) */
};

/* What another API exported. It stays the caller's, who may close it when the call has returned. */
typedef struct vramp_handle {
    uint32_t struct_size;
    vramp_handle_kind kind;
    int64_t handle;              /* the file descriptor, or the HANDLE */
    uint64_t bytes;              /* of memory: the size of the whole allocation, as it was made; 0 for semaphores */
    uint32_t flags;              /* VRAMP_MEMORY_*; 0 for semaphores */
    uint32_t reserved;           /* 0 */
} vramp_handle;

typedef struct vramp_memory vramp_memory;
typedef struct vramp_semaphore vramp_semaphore;

/* Imports an allocation of another API into the context of a chain, and gives the device's address of its first byte: planes in it are
   addresses from there on, for this chain and others of the same context. It stays there when its maker frees it, until
   vramp_memory_destroy, also without the chain. VRAMP_UNSUPPORTED when the chain works on the CPU, or the driver cannot do
   it. */
vramp_status vramp_memory_import(vramp_chain *chain, const vramp_handle *handle, vramp_memory **memory, void **address);

/* Gives it back, when all work in its context is done, which is waited for. NULL is allowed. */
vramp_status vramp_memory_destroy(vramp_memory *memory);

/* Imports a timeline semaphore (a Vulkan semaphore of type TIMELINE; others are not taken) into the context of a chain. It needs a driver
   of CUDA 11.2. */
vramp_status vramp_semaphore_import(vramp_chain *chain, const vramp_handle *handle, vramp_semaphore **semaphore);

/* As vramp_memory_destroy. What the GPU waits for must be signalled before. */
vramp_status vramp_semaphore_destroy(vramp_semaphore *semaphore);

/* A value of a timeline. */
typedef struct vramp_point {
    uint32_t struct_size;
    uint32_t reserved;           /* 0 */
    vramp_semaphore *semaphore;
    uint64_t value;
} vramp_point;

/* Where the work for a frame goes, and what it is ordered by. */
typedef struct vramp_order {
    uint32_t struct_size;
    uint32_t wait_count;
    const vramp_point *waits;    /* what must be reached before the work begins; an array, as vramp_options.inputs */
    const vramp_point *signals;  /* what is reached when it is done */
    uint32_t signal_count;
    uint32_t reserved;           /* 0 */
    void *stream;                /* a CUstream of the chain's context; NULL is the default stream */
} vramp_order;

/* Makes frame `frame` of the result as vramp_process_frames does, of frames in GPU memory and without waiting, as vramp_process_cuda does.
   The work stands between `waits` and `signals` of `order`, which may be NULL. A timeline's values must rise in the order in which
   they are signalled. After a failure nothing is signalled. A value may be waited for before it is submitted; but calls that make memory,
   as the first frames of a chain do, wait for the GPU, so that then the thread which submits it must be another. Frames of one
   chain go one after the other, whatever their streams: none may wait for what follows a later one. `result` may be NULL; else it gets
   the number and the field order of the frame. */
vramp_status vramp_process_frames_cuda(vramp_chain *chain, uint64_t frame, const vramp_input_frame *frames, uint32_t count,
                                       const vramp_planes *dst, const vramp_order *order, vramp_frame *result);

/* ---- Queues: several frames in flight, without threads of the caller's own ---- */

/* Makes a queue that holds up to `depth` (1 to 64) frames of the chain, each filtered by a thread of its own. The chain
   stays alive as long as its queues. */
vramp_status vramp_queue_create(vramp_chain *chain, uint32_t depth, vramp_queue **queue);

/* Waits for the frames that are being filtered, drops the others, and wakes who waits. NULL is allowed. */
vramp_status vramp_queue_destroy(vramp_queue *queue);

/* Starts a frame. Its memory must stay, and nothing else may write to the source or use the target, until it has been received
   or the queue is destroyed. `user` comes back with it. VRAMP_AGAIN: the queue is full; receive a frame first. */
vramp_status vramp_queue_submit(vramp_queue *queue, const vramp_frame *frame, const vramp_planes *src,
                                const vramp_planes *dst, void *user);

/* The same for any chain: frame `frame` of the result, made of `frames` as in vramp_process_frames. The structs are read during
   the call; what must stay is the pictures. */
vramp_status vramp_queue_submit_frames(vramp_queue *queue, uint64_t frame, const vramp_input_frame *frames, uint32_t count,
                                       const vramp_planes *dst, void *user);

/* Receives the frame that was submitted first, when it is done; with `wait` 1 waits for it. The status is the frame's, and
   `user` (may be NULL) is written whether it went well or not. VRAMP_AGAIN: it is not done, and `wait` is 0. VRAMP_EMPTY: every frame
   has been received. */
vramp_status vramp_queue_receive(vramp_queue *queue, int32_t wait, void **user);

/* ---- Memory ---- */

/* Allocates `bytes` bytes that start at a multiple of 64 and are zero. For a device as in vramp_options: memory
   that a GPU copies from and to by itself, which is several times as fast; else plain memory. */
vramp_status vramp_alloc(const char *device, size_t bytes, void **memory);

/* Frees memory of vramp_alloc. NULL is allowed; what is not such memory, or no longer, is refused. */
vramp_status vramp_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
