#pragma once
// The filter of system calls (seccomp(2)) that enforces calls.h and looks at arguments. It is a
// program for the kernel's BPF machine, which has one register: the functions here append lines to
// it. A section is for one call, and ends with an answer.
#include "calls.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

#if defined(__x86_64__)
#define CLINUXCONFINEMENT_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CLINUXCONFINEMENT_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// What the filter depends on.
struct clinuxconfinement_choice {
    int uses_network;
    // The process that watches over the program, and its parent: they get no signals. The program
    // is in the group whose number is the watcher's.
    int watcher, parent;
};

struct filter_code {
    struct sock_filter lines[1024];
    unsigned short count;
};

enum filter_answer {
    filter_allow = 0x7fff0000,
    filter_refuse = 0x00050000 | EPERM,
    filter_missing = 0x00050000 | ENOSYS,
};

// MARK: Lines

static inline void filter_put(struct filter_code *code, unsigned short operation, uint32_t value) {
    struct sock_filter line = {operation, 0, 0, value};
    // All lists are constant and fit: too long a program would be refused as one without an end.
    if (code->count < sizeof code->lines / sizeof *code->lines) code->lines[code->count++] = line;
}

static inline void filter_load_number(struct filter_code *code) {
    filter_put(code, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
}

// Loads the lower half of an argument: the kernel reads no more of those that are looked at.
static inline void filter_load_argument(struct filter_code *code, unsigned argument) {
    size_t first = offsetof(struct seccomp_data, args);
    filter_put(code, BPF_LD | BPF_W | BPF_ABS, (uint32_t)(first + argument * sizeof(uint64_t)));
}

static inline void filter_keep_bits(struct filter_code *code, uint32_t bits) {
    filter_put(code, BPF_ALU | BPF_AND | BPF_K, bits);
}

static inline void filter_answer(struct filter_code *code, enum filter_answer answer) {
    filter_put(code, BPF_RET | BPF_K, (uint32_t)answer);
}

// Begins lines that are passed over unless a comparison of what was loaded holds; returns what
// `filter_end` needs.
static inline unsigned short filter_when(
    struct filter_code *code, unsigned short comparison, uint32_t value
) {
    filter_put(code, BPF_JMP | BPF_K | comparison, value);
    return code->count;
}

static inline void filter_end(struct filter_code *code, unsigned short begin) {
    code->lines[begin - 1].jf = (unsigned char)(code->count - begin);
}

static inline void filter_answer_if(
    struct filter_code *code, uint32_t value, enum filter_answer answer
) {
    unsigned short begin = filter_when(code, BPF_JEQ, value);
    filter_answer(code, answer);
    filter_end(code, begin);
}

// Answers calls, or values of an argument, that are in a list.
#define filter_answer_list(code, list, answer) \
    for (size_t index = 0; index < sizeof(list) / sizeof *(list); index++) \
        filter_answer_if(code, (uint32_t)(list)[index], answer)

// Allows a call if an argument is in a list, and refuses it otherwise.
#define filter_allow_only(code, call, argument, list) \
    do { \
        unsigned short only = filter_when(code, BPF_JEQ, call); \
        filter_load_argument(code, argument); \
        filter_answer_list(code, list, filter_allow); \
        filter_answer(code, filter_refuse); \
        filter_end(code, only); \
    } while (0)

// MARK: Sections

// What a descriptor can be told. Not: who gets signals of it (F_SETOWN, F_SETSIG, FIOSETOWN),
// leases and watches; input for a terminal (TIOCSTI, TIOCLINUX), and anything to other devices.
static inline void filter_descriptors(struct filter_code *code, int uses_network) {
    static const uint32_t commands[] = {
        0, 1, 2, 3, 4,        // F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL
        5, 6, 7, 36, 37, 38,  // F_GETLK, F_SETLK, F_SETLKW, and F_OFD_… of them
        9, 1025,              // F_GETOWN, F_GETLEASE
        1030, 1031, 1032,     // F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ
        1033, 1034,           // F_ADD_SEALS, F_GET_SEALS
    };
    static const uint32_t requests[] = {
        0x5401, 0x802C542A, 0x5413, 0x540F,      // TCGETS, TCGETS2, TIOCGWINSZ, TIOCGPGRP
        0x5421, 0x541B, 0x5411, 0x5450, 0x5451,  // FIONBIO, FIONREAD, TIOCOUTQ, FIONCLEX, FIOCLEX
        0x40049409,                              // FICLONE
    };
    static const uint32_t interfaces[] = {
        0x8910, 0x8912, 0x8913, 0x8915,  // SIOCGIFNAME, SIOCGIFCONF, SIOCGIFFLAGS, SIOCGIFADDR
        0x8919, 0x891B, 0x8921, 0x8927,  // the same for: BRDADDR, NETMASK, MTU, HWADDR
        0x8933,                          // SIOCGIFINDEX
    };
    filter_allow_only(code, __NR_fcntl, 1, commands);

    unsigned short begin = filter_when(code, BPF_JEQ, __NR_ioctl);
    filter_load_argument(code, 1);
    filter_answer_list(code, requests, filter_allow);
    if (uses_network) { filter_answer_list(code, interfaces, filter_allow); }
    filter_answer(code, filter_refuse);
    filter_end(code, begin);
}

// What a process can change about itself. Not: who traces it, where its memory begins (PR_SET_MM),
// that it cannot be examined (PR_SET_DUMPABLE), that orphans become its children, and how it
// executes (personality(2), but for asking). That it ends with its parent cannot be taken back.
static inline void filter_process(struct filter_code *code) {
    static const uint32_t options[] = {
        2, 3, 7, 27, 37,        // PR_GET_…: PDEATHSIG, DUMPABLE, KEEPCAPS, SECUREBITS, SUBREAPER
        15, 16,                 // PR_SET_NAME, PR_GET_NAME
        21, 22, 38, 39,         // PR_GET_SECCOMP, PR_SET_SECCOMP, and of NO_NEW_PRIVS
        23, 24,                 // PR_CAPBSET_READ, PR_CAPBSET_DROP
        29, 30, 41, 42,         // PR_SET_TIMERSLACK, PR_GET_…, and of THP_DISABLE
        50, 51, 63, 64,         // lengths of vectors: PR_SVE_…, PR_SME_…
        52, 53,                 // PR_GET_SPECULATION_CTRL, PR_SET_…
        54, 55, 56, 60, 61,     // PR_PAC_…, PR_SET_TAGGED_ADDR_CTRL, PR_GET_…
        65, 66,                 // PR_SET_MDWE, PR_GET_MDWE
        0x53564D41,             // PR_SET_VMA: names of memory
    };
    static const uint32_t personalities[] = {0xFFFFFFFF, 0};  // asking; PER_LINUX
    static const uint32_t processes[] = {0};  // its own limits, and no other process's
    unsigned short begin = filter_when(code, BPF_JEQ, __NR_prctl);
    filter_load_argument(code, 0);
    filter_answer_list(code, options, filter_allow);
    unsigned short death = filter_when(code, BPF_JEQ, 1);  // PR_SET_PDEATHSIG
    filter_load_argument(code, 1);
    filter_answer_if(code, 9, filter_allow);  // SIGKILL
    filter_end(code, death);
    filter_answer(code, filter_refuse);
    filter_end(code, begin);

    filter_allow_only(code, __NR_personality, 0, personalities);
    filter_allow_only(code, __NR_prlimit64, 0, processes);
}

// Signals reach the program's group and its processes. The watcher ends the program when its parent
// is gone, so neither gets any by its number, whether or not the kernel's Landlock restricts
// signals (before Linux 6.12, it does not). The parent's other threads have numbers of their own,
// which kill(2) takes for the process: a filter cannot know them, as they change, so only Landlock
// keeps the program from them.
static inline void filter_signals(
    struct filter_code *code, struct clinuxconfinement_choice choice
) {
    static const int calls[] = {
        __NR_tkill, __NR_tgkill, __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo,
        CLINUXCONFINEMENT_pidfd_open,
    };
    const uint32_t spared[] = {(uint32_t)choice.watcher, (uint32_t)choice.parent};
    unsigned short begin;
    for (size_t call = 0; call < sizeof calls / sizeof *calls; call++) {
        begin = filter_when(code, BPF_JEQ, (uint32_t)calls[call]);
        filter_load_argument(code, 0);
        filter_answer_list(code, spared, filter_refuse);
        filter_answer(code, filter_allow);
        filter_end(code, begin);
    }
    // Negative numbers are groups, and -1 is every process. 0 is the own group.
    begin = filter_when(code, BPF_JEQ, __NR_kill);
    filter_load_argument(code, 0);
    filter_answer_if(code, (uint32_t)-choice.watcher, filter_allow);
    unsigned short negative = filter_when(code, BPF_JGE, 0x80000000);
    filter_answer(code, filter_refuse);
    filter_end(code, negative);
    filter_answer_list(code, spared, filter_refuse);
    filter_answer(code, filter_allow);
    filter_end(code, begin);
}

// Processes and threads, but not in namespaces of their own, nor as children of the watcher.
static inline void filter_starts(struct filter_code *code) {
    // CLONE_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET; CLONE_PARENT
    const uint32_t refused = 0x7E020000 | 0x8000;
    unsigned short begin = filter_when(code, BPF_JEQ, __NR_clone);
    filter_load_argument(code, 0);
    unsigned short flagged = filter_when(code, BPF_JSET, refused);
    filter_answer(code, filter_refuse);
    filter_end(code, flagged);
    filter_answer(code, filter_allow);
    filter_end(code, begin);
}

// Loads the type of a socket, without SOCK_CLOEXEC and SOCK_NONBLOCK.
static inline void filter_load_socket_type(struct filter_code *code) {
    filter_load_argument(code, 1);
    filter_keep_bits(code, ~(uint32_t)(02000000 | 04000));
}

// Pairs of streams are connected for good; from a pair of datagram sockets, data could be sent to
// any socket of the machine. With the network, there are TCP and UDP of IPv4 and IPv6, and what
// libraries ask for addresses (NETLINK_ROUTE). There are no raw sockets, and none of other
// protocols or families, such as those to a virtual machine's host.
static inline void filter_sockets(struct filter_code *code, int uses_network) {
    enum { unix_family = 1, ipv4 = 2, ipv6 = 10, netlink = 16, route = 0 };
    enum { stream = 1, datagram = 2, raw = 3 };
    unsigned short protocol, begin = filter_when(code, BPF_JEQ, __NR_socketpair);
    filter_load_argument(code, 0);
    unsigned short family = filter_when(code, BPF_JEQ, unix_family);
    filter_load_socket_type(code);
    filter_answer_if(code, stream, filter_allow);
    filter_end(code, family);
    filter_answer(code, filter_refuse);
    filter_end(code, begin);
    if (!uses_network) return;

    static const uint32_t families[] = {ipv4, ipv6};
    static const uint32_t protocols[] = {0, 6, 17};  // the usual one of the type, TCP, UDP
    begin = filter_when(code, BPF_JEQ, __NR_socket);
    filter_load_argument(code, 0);
    for (size_t index = 0; index < sizeof families / sizeof *families; index++) {
        family = filter_when(code, BPF_JEQ, families[index]);
        filter_load_argument(code, 2);
        for (size_t kind = 0; kind < sizeof protocols / sizeof *protocols; kind++) {
            protocol = filter_when(code, BPF_JEQ, protocols[kind]);
            filter_load_socket_type(code);
            filter_answer_if(code, stream, filter_allow);
            filter_answer_if(code, datagram, filter_allow);
            filter_answer(code, filter_refuse);
            filter_end(code, protocol);
        }
        filter_answer(code, filter_refuse);
        filter_end(code, family);
    }
    family = filter_when(code, BPF_JEQ, netlink);
    filter_load_argument(code, 2);
    protocol = filter_when(code, BPF_JEQ, route);
    filter_load_socket_type(code);
    filter_answer_if(code, raw, filter_allow);
    filter_answer_if(code, datagram, filter_allow);
    filter_end(code, protocol);
    filter_end(code, family);
    filter_answer(code, filter_refuse);
    filter_end(code, begin);
}

// MARK: The filter

#ifdef CLINUXCONFINEMENT_ARCHITECTURE
static inline void filter_write(
    struct filter_code *code, struct clinuxconfinement_choice choice
) {
    filter_put(code, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    filter_put(code, BPF_JMP | BPF_K | BPF_JEQ, CLINUXCONFINEMENT_ARCHITECTURE);
    code->lines[code->count - 1].jt = 1;
    filter_answer(code, filter_missing);
    filter_load_number(code);
    // Newer calls than those that are known, and those of x32, which have a bit of their own.
    unsigned short unknown = filter_when(code, BPF_JGE, CLINUXCONFINEMENT_FIRST_UNKNOWN);
    filter_answer(code, filter_missing);
    filter_end(code, unknown);
    filter_answer_list(code, clinuxconfinement_allowed, filter_allow);
    if (choice.uses_network) {
        filter_answer_list(code, clinuxconfinement_allowed_with_network, filter_allow);
    }
    filter_descriptors(code, choice.uses_network);
    filter_process(code);
    filter_signals(code, choice);
    filter_starts(code);
    filter_sockets(code, choice.uses_network);
    filter_answer_list(code, clinuxconfinement_missing, filter_missing);
    filter_answer(code, filter_refuse);
}
#endif

// Enforces the filter for this process and those that it starts, for good. 0, or -1 and errno
// (ENOSYS: an architecture that is not known here).
static inline int clinuxconfinement_filter(struct clinuxconfinement_choice choice) {
#ifdef CLINUXCONFINEMENT_ARCHITECTURE
    struct filter_code code = {.count = 0};
    filter_write(&code, choice);
    struct sock_fprog program = {code.count, code.lines};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#else
    (void)choice;
    errno = ENOSYS;
    return -1;
#endif
}
