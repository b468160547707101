#pragma once
// What the kernel and the C library are told of a process, which Swift's Glibc module does not carry.
#include <malloc.h>
#include <sys/prctl.h>

// prctl takes any number of arguments, which Swift does not import.
static inline int clinuxprocess_set_dumpable(int is_dumpable) {
    return prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0);
}
