/* vramp in a C program: raw 8-bit 4:2:0 frames from standard input, filtered, to standard output.
 *
 *   cc -O2 -Iplugin-abi/include samples/c_abi.c -Ltarget/plugin -lvramp -Wl,-rpath,$PWD/target/plugin -o c_abi
 *   ffmpeg -i in.mp4 -pix_fmt yuv420p -f rawvideo - | ./c_abi 1280 720 "deband=range=16:sample=2" > out.yuv
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vramp.h"

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, vramp_last_error());
    return 1;
}

/* The planes of a 4:2:0 picture of bytes that lies at `start` without gaps. */
static vramp_planes planes_at(unsigned char *start, size_t width, size_t height) {
    size_t chroma_width = (width + 1) / 2, chroma_height = (height + 1) / 2;
    vramp_planes planes = {.struct_size = sizeof planes};
    planes.data[0] = start;
    planes.data[1] = start + width * height;
    planes.data[2] = start + width * height + chroma_width * chroma_height;
    planes.pitch[0] = (int64_t)width;
    planes.pitch[1] = planes.pitch[2] = (int64_t)chroma_width;
    return planes;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s WIDTH HEIGHT CHAIN < in.yuv > out.yuv\n", argv[0]);
        return 2;
    }
    if (vramp_abi_version() >> 16 != VRAMP_ABI_VERSION >> 16) {
        fprintf(stderr, "this libvramp is version %s, which speaks another ABI\n", vramp_version());
        return 2;
    }
    vramp_stream input = {.struct_size = sizeof input, .layout = VRAMP_YUV420, .bit_depth = 8};
    input.width = atoi(argv[1]);
    input.height = atoi(argv[2]);
    /* 8 bits in the end as well, whatever the chain makes. */
    vramp_options options = {.struct_size = sizeof options, .output_bit_depth = 8};
    vramp_chain *chain;
    if (vramp_chain_create(argv[3], &input, &options, &chain) < 0) return fail("chain");

    /* Memory that a GPU, if there is one, copies from by itself. */
    size_t width = (size_t)input.width, height = (size_t)input.height;
    size_t bytes = width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2);
    void *memory[2];
    for (int i = 0; i < 2; i++)
        if (vramp_alloc(NULL, bytes, &memory[i]) < 0) return fail("memory");
    vramp_planes src = planes_at(memory[0], width, height), dst = planes_at(memory[1], width, height);

    vramp_frame frame = {.struct_size = sizeof frame};
    for (; fread(memory[0], 1, bytes, stdin) == bytes; frame.index++) {
        if (vramp_process(chain, &frame, &src, &dst) < 0) return fail("frame");
        if (fwrite(memory[1], 1, bytes, stdout) != bytes) return 1;
    }
    fprintf(stderr, "%llu frames\n", (unsigned long long)frame.index);
    vramp_free(memory[0]);
    vramp_free(memory[1]);
    vramp_chain_destroy(chain);
    return fflush(stdout) != 0;
}
