// Launches that begin before the one before them has ended, from compute capability 9.0 on (programmatic dependent launch, CUDA C++
// Programming Guide). The next launch's blocks then start as soon as all of this one have, in the room that its last ones leave, and
// wait here: what is left of the time between two launches is the wait for the last writes.
//
// A source that includes this is compiled a second time with VRAMP_EARLY defined, for those devices (cuda/make_ptx.py), and the host
// launches what it gave so. Every kernel of it must wait before it reads what the launch before it writes, or writes what that one reads or
// writes: as a rule it begins with `wait_for_launch_before`.
#pragma once

#ifdef VRAMP_EARLY
// Such reads promise that nobody writes there while the kernel runs. The launch before still does when a kernel begins.
#define __ldg(address) (*(address))
#endif

// Lets the next launch begin: its blocks start once all of this one have come here or ended.
__device__ __forceinline__ void let_next_launch_begin() {
#ifdef VRAMP_EARLY
    // The compiler need not know these instructions: it writes them into the PTX as they stand.
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits until all that the launch before wrote can be read, and what it read be overwritten.
__device__ __forceinline__ void wait_for_writes_before() {
#ifdef VRAMP_EARLY
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Lets the next launch begin, and waits for the launch before. Since that one has waited too, all before it are over.
__device__ __forceinline__ void wait_for_launch_before() {
    let_next_launch_begin();
    wait_for_writes_before();
}

// Waits for the launch before, and lets the next one begin only then. All that ran before this launch is over when the next one
// begins, and what it wrote is in memory: the next one may use it before it waits itself.
__device__ __forceinline__ void wait_before_next_launch_begins() {
    wait_for_writes_before();
    let_next_launch_begin();
}
