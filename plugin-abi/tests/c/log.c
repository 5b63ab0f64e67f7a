/* Messages do no harm: not where nobody reads standard error, and not when a callback does what it must not. Runs with the
   stand-in for the driver. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <unistd.h>

#include "checks.h"

/* Standard error becomes a pipe that nobody reads: every write fails. */
static void break_standard_error(void) {
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    if (pipe(ends) || close(ends[0]) || dup2(ends[1], STDERR_FILENO) < 0) exit(2);
    if (write(STDERR_FILENO, "", 1) == 1) exit(2);
}

static __typeof__(&vramp_process) process;
static vramp_chain *chain;
static unsigned char pixels[2][64 * 36];

static vramp_status filter(void) {
    vramp_frame frame = {sizeof frame, VRAMP_PROGRESSIVE, 0};
    vramp_planes src = {sizeof src, 0, {pixels[0]}, {64}}, dst = {sizeof dst, 0, {pixels[1]}, {64}};
    return process(chain, &frame, &src, &dst);
}

/* What the header forbids; what it says of a GPU that cannot be used still comes when nothing is held. */
static void filter_again(void *user, vramp_log_level level, const char *text) {
    printf("%d: %s\n", (int)level, text);
    if (++*(int *)user == 1) filter();
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    void *vramp = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    void (*update)(void *, double, const uint32_t *, uint32_t *);
    *(void **)&update = symbol(vramp, "f0r_update");

    break_standard_error();
    update(NULL, 0, NULL, NULL);
    puts("frei0r's complaint went nowhere");

    __typeof__(&vramp_chain_create) create;
    __typeof__(&vramp_set_log) set_log;
    *(void **)&create = symbol(vramp, "vramp_chain_create");
    *(void **)&set_log = symbol(vramp, "vramp_set_log");
    *(void **)&process = symbol(vramp, "vramp_process");
    int messages = 0;
    vramp_stream stream = {sizeof stream, VRAMP_GRAY, 8, VRAMP_RANGE_UNSPECIFIED, 64, 36};
    if (set_log(filter_again, &messages, VRAMP_LOG_DEBUG) || create("deband", &stream, NULL, &chain)) return 3;
    setenv("STAND_IN_FAIL", "cuInit=803", 1);
    alarm(60);
    if (filter()) return 4;
    /* The device is opened and refused once: the call from inside has nothing new to say. */
    return messages == 1 ? 0 : 5;
}
