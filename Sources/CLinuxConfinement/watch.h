#pragma once
// What a process needs that watches over another one and its descendants.
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Swift hides fork, because a process with several threads must not go on after it. This one has a
// single thread. Returns 0 in the new process.
static inline int clinuxconfinement_fork(void) { return fork(); }

// A descriptor that can be read once the process has ended; -1 where there is none.
static inline int clinuxconfinement_open_process(int process) {
    return (int)syscall(434, process, 0);
}

// Makes descendants whose parents have ended this process's children, which it can wait for, and
// keeps others of the same user from examining it.
static inline void clinuxconfinement_watch_over_descendants(void) {
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// Keeps this process to the last of several processors, or to the others. Returns whether there are
// several.
static inline int clinuxconfinement_use_processors(int uses_last) {
    unsigned long set[128] = {0}, one[128] = {0};
    // For 8,192 processors; the call says how many bytes the kernel has.
    long size = syscall(SYS_sched_getaffinity, 0, sizeof set, set);
    long bits = 8 * (long)sizeof *set, last = -1, count = 0;
    for (long number = 0; number < 8 * size; number++) {
        if ((set[number / bits] >> (number % bits) & 1) == 0) continue;
        last = number;
        count++;
    }
    if (count < 2) return 0;
    one[last / bits] = 1UL << (last % bits);
    set[last / bits] &= ~one[last / bits];
    return syscall(SYS_sched_setaffinity, 0, (size_t)size, uses_last ? one : set) == 0;
}

// Leaves the group of processes for a new one, although this process leads the old one: the new one
// is led by a child that ends at once. 0, or -1 and errno.
static inline int clinuxconfinement_leave_group(void) {
    pid_t parent = getpid(), leader = fork();
    if (leader == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        // It may have ended before that.
        if (getppid() != parent) _exit(0);
        for (;;) pause();
    }
    if (leader < 0) return -1;
    int failure = setpgid(leader, leader) == 0 && setpgid(0, leader) == 0 ? 0 : errno;
    (void)kill(leader, SIGKILL);
    while (waitpid(leader, NULL, 0) < 0 && errno == EINTR) {}
    errno = failure;
    return failure == 0 ? 0 : -1;
}

// Ends this process by a signal, as another one was ended.
static inline void clinuxconfinement_end_by(int number) {
    sigset_t all;
    (void)signal(number, SIG_DFL);
    (void)sigemptyset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)kill(getpid(), number);
}
