// Copies from memory to shared memory that a thread puts and awaits later, without registers between. For compute_80 and later.
#pragma once

#include "plane.cuh"

__device__ __forceinline__ u32 shared_address(const void* pointer) { return u32(__cvta_generic_to_shared(pointer)); }

// Copies 16 bytes where `is_there`, past the first cache: what is copied is read once.
__device__ __forceinline__ void copy_ahead(void* to, const void* from, bool is_there) {
    asm volatile("{ .reg .pred there; setp.ne.u32 there, %2, 0; @there cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(u32(is_there))
                 : "memory");
}

// Ends a group of copies, and awaits all groups but the last LEFT. What other threads copied is there after a barrier.
__device__ __forceinline__ void end_of_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LEFT>
__device__ __forceinline__ void await_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

// Read from shared memory and write to memory where `is_there`, without a branch.
__device__ __forceinline__ void read_there(float4& v, const float4* from, bool is_there) {
    asm volatile("{ .reg .pred there; setp.ne.u32 there, %5, 0; @there ld.shared.v4.f32 {%0, %1, %2, %3}, [%4]; }"
                 : "+f"(v.x), "+f"(v.y), "+f"(v.z), "+f"(v.w)
                 : "r"(shared_address(from)), "r"(u32(is_there))
                 : "memory");
}
__device__ __forceinline__ void write_there(float4* to, const float4& v, bool is_there) {
    asm volatile("{ .reg .pred there; setp.ne.u32 there, %5, 0; @there st.global.v4.f32 [%4], {%0, %1, %2, %3}; }" ::"f"(v.x), "f"(v.y),
                 "f"(v.z), "f"(v.w), "l"(to), "r"(u32(is_there))
                 : "memory");
}
