#pragma once
// What a process gives up before it becomes another program: Landlock (landlock(7)) and system
// calls (seccomp(2)). Landlock's numbers are written here, as headers may be older than kernels.
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: Landlock

struct clinuxconfinement_attributes {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

struct clinuxconfinement_path {
    uint64_t allowed;
    int32_t descriptor;
} __attribute__((packed));

// The version of Landlock's interface, or -1 and errno where there is none. The numbers of these
// calls are the same on all architectures.
static inline int clinuxconfinement_version(void) {
    return (int)syscall(444, NULL, (size_t)0, 1);
}

static inline int clinuxconfinement_create(struct clinuxconfinement_attributes attributes) {
    return (int)syscall(444, &attributes, sizeof attributes, 0);
}

static inline int clinuxconfinement_allow(int rules, int descriptor, uint64_t allowed) {
    struct clinuxconfinement_path path = {allowed, descriptor};
    return (int)syscall(445, rules, 1, &path, 0);
}

static inline int clinuxconfinement_restrict(int rules) {
    return (int)syscall(446, rules, 0);
}

// Opens a path for what it is, not for what is in it (O_PATH, which Swift does not see).
static inline int clinuxconfinement_open_place(const char *path) {
    return open(path, 010000000 | O_CLOEXEC);
}

// MARK: Process

// A pipe whose ends no program inherits.
static inline int clinuxconfinement_pipe(int ends[2]) {
    return (int)syscall(SYS_pipe2, ends, O_CLOEXEC);
}

static inline int clinuxconfinement_take_no_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static inline int clinuxconfinement_end_with_parent(int signal) {
    return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
}

// Gives up all capabilities for good: of those, root has many. 0, or -1 and errno.
static inline int clinuxconfinement_drop_capabilities(void) {
    struct { uint32_t version; int pid; } header = {0x20080522, 0};
    struct { uint32_t effective, permitted, inheritable; } none[2] = {{0, 0, 0}, {0, 0, 0}};
    // The last one is told by its number being none; without the right to, there are none to drop.
    for (int number = 0; number < 64 && prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0; number++) {}
    return (int)syscall(SYS_capset, &header, none);
}

// glibc 2.34; its own header hides it from Swift. `actions` is a posix_spawn_file_actions_t.
extern int posix_spawn_file_actions_addclosefrom_np(void *actions, int first);

static inline int clinuxconfinement_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

// MARK: System calls

#if defined(__x86_64__)
#define CLINUXCONFINEMENT_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CLINUXCONFINEMENT_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define CLINUXCONFINEMENT_LOAD(field) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define CLINUXCONFINEMENT_ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)
#define CLINUXCONFINEMENT_REFUSE(number) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##number, 0, 1), \
    CLINUXCONFINEMENT_ANSWER(SECCOMP_RET_ERRNO | EPERM)

// Refuses what Landlock does not see: sockets of the machine, and of the network unless that is
// used; rings, which make sockets unseen; owners, modes, times and attributes of files, and watching
// them; limits, priorities and places of processes, which may be others'; and leaving the group that
// is ended with the script. -1 and errno (ENOSYS: an architecture that is not known here).
static inline int clinuxconfinement_refuse_calls(int uses_network) {
#ifdef CLINUXCONFINEMENT_ARCHITECTURE
    struct sock_filter code[] = {
        CLINUXCONFINEMENT_LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLINUXCONFINEMENT_ARCHITECTURE, 1, 0),
        CLINUXCONFINEMENT_ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
        CLINUXCONFINEMENT_LOAD(nr),
#ifdef __x86_64__
        // The calls of x32.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        CLINUXCONFINEMENT_ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
        CLINUXCONFINEMENT_REFUSE(chmod),
        CLINUXCONFINEMENT_REFUSE(chown),
        CLINUXCONFINEMENT_REFUSE(lchown),
        CLINUXCONFINEMENT_REFUSE(utime),
        CLINUXCONFINEMENT_REFUSE(utimes),
        CLINUXCONFINEMENT_REFUSE(futimesat),
        CLINUXCONFINEMENT_REFUSE(inotify_init),
#endif
        CLINUXCONFINEMENT_REFUSE(utimensat),
        CLINUXCONFINEMENT_REFUSE(inotify_init1),
        CLINUXCONFINEMENT_REFUSE(fchmod),
        CLINUXCONFINEMENT_REFUSE(fchmodat),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 452, 0, 1),  // fchmodat2
        CLINUXCONFINEMENT_ANSWER(SECCOMP_RET_ERRNO | EPERM),
        CLINUXCONFINEMENT_REFUSE(fchown),
        CLINUXCONFINEMENT_REFUSE(fchownat),
        CLINUXCONFINEMENT_REFUSE(setxattr),
        CLINUXCONFINEMENT_REFUSE(lsetxattr),
        CLINUXCONFINEMENT_REFUSE(fsetxattr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 463, 0, 1),  // setxattrat
        CLINUXCONFINEMENT_ANSWER(SECCOMP_RET_ERRNO | EPERM),
        CLINUXCONFINEMENT_REFUSE(setpriority),
        CLINUXCONFINEMENT_REFUSE(ioprio_set),
        CLINUXCONFINEMENT_REFUSE(sched_setscheduler),
        CLINUXCONFINEMENT_REFUSE(sched_setparam),
        CLINUXCONFINEMENT_REFUSE(sched_setattr),
        CLINUXCONFINEMENT_REFUSE(sched_setaffinity),
        CLINUXCONFINEMENT_REFUSE(migrate_pages),
        CLINUXCONFINEMENT_REFUSE(move_pages),
        // What leaves the group of processes would outlive the script.
        CLINUXCONFINEMENT_REFUSE(setsid),
        CLINUXCONFINEMENT_REFUSE(setpgid),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 425, 0, 1),  // io_uring_setup
        CLINUXCONFINEMENT_ANSWER(SECCOMP_RET_ERRNO | EPERM),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_prlimit64, 0, 3),
        CLINUXCONFINEMENT_LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, 0),
        CLINUXCONFINEMENT_ANSWER(SECCOMP_RET_ERRNO | EPERM),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 2),
        CLINUXCONFINEMENT_LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 1, uses_network ? 0 : 1),  // AF_UNIX
        CLINUXCONFINEMENT_ANSWER(SECCOMP_RET_ALLOW),
        CLINUXCONFINEMENT_ANSWER(SECCOMP_RET_ERRNO | EACCES),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#else
    (void)uses_network;
    errno = ENOSYS;
    return -1;
#endif
}
