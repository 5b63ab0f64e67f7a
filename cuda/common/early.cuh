// Launches that begin before the one before them has ended, from compute capability 9.0 on (programmatic dependent launch, CUDA C++
// Programming Guide). The next launch's blocks then start as soon as all of this one have, in the room that its last ones leave, and
// wait here: what is left of the time between two launches is the wait for the last writes.
//
// A source that includes this is compiled a second time with VRAMP_EARLY defined, for those devices (cuda/make_ptx.py), and the host
// launches what it gave so. Every kernel of it must begin with `wait_for_launch_before`, before it reads or writes global memory.
#pragma once

#ifdef VRAMP_EARLY
// Such reads promise that nobody writes there while the kernel runs. The launch before still does when a kernel begins.
#define __ldg(address) (*(address))
#endif

// Lets the next launch begin, and waits until all that the launch before wrote can be read, and what it read be overwritten. Since that
// one has waited too, all before it are over.
__device__ __forceinline__ void wait_for_launch_before() {
#ifdef VRAMP_EARLY
    // The compiler need not know these instructions: it writes them into the PTX as they stand.
    asm volatile("griddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;" ::: "memory");
#endif
}
