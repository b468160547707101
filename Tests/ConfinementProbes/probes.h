// Attempts of a program to reach what it may not, or to do what it may. A program makes all of them
// in one run, each in a process of its own, and prints a line for each.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// What is around the program. Paths are absolute.
struct surroundings {
    const char *secret;    // a hidden file
    const char *outside;   // a folder that it may not read, with a file `file` in it
    const char *own;       // its folder, with a file `file` in it
    const char *scratch;   // the folder that it may write to
    const char *sockets;   // a folder with the sockets `datagram` and `stream`
    int other;             // a process of the same user
    int watcher, parent;   // the process that watches over it, and that one's parent
};

extern struct surroundings around;

struct probe {
    const char *name;
    // Returns a number from 0 if it got through, or -1 and errno.
    long (*run)(void);
    // Whether it also fails without confinement on some machines: for want of privileges, because
    // the kernel is built without it, or because another sandbox is around this one.
    int may_fail_anyway;
};

extern const struct probe file_probes[], process_probes[], socket_probes[], kernel_probes[];
// What must get through.
extern const struct probe positive_probes[];

// Calls whose numbers headers may lack.
#ifdef __NR_fchmodat2
#define NR_fchmodat2 __NR_fchmodat2
#else
#define NR_fchmodat2 452
#endif

// A path in a folder. It is never freed: each probe has a process of its own.
static inline const char *in(const char *folder, const char *name) {
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    sprintf(path, "%s/%s", folder, name);
    return path;
}

// A new file in the scratch folder, open for writing.
static inline int new_file(const char *name) {
    return open(in(around.scratch, name), O_CREAT | O_RDWR | O_TRUNC, 0600);
}

static inline const char *new_path(const char *name) {
    int file = new_file(name);
    if (file >= 0) close(file);
    return in(around.scratch, name);
}
