#pragma once
// What a process gives up before it becomes another program: Landlock (landlock(7)), privileges and
// keys. Landlock's numbers are written here, as headers may be older than kernels. System calls are
// in filter.h, and what watches over the program in watch.h.
#include <errno.h>
#include <fcntl.h>
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

// Gives up all capabilities for good: of those, root has many. 0, or -1 and errno. Service managers
// refuse the call to services that have none, so it is made only where there are some.
static inline int clinuxconfinement_drop_capabilities(void) {
    struct { uint32_t version; int pid; } header = {0x20080522, 0};
    struct { uint32_t effective, permitted, inheritable; } none[2] = {{0, 0, 0}, {0, 0, 0}}, had[2];
    // The last one is told by its number being none; without the right to, there are none to drop.
    for (int number = 0; number < 64 && prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0; number++) {}
    if (syscall(SYS_capget, &header, had) == 0) {
        uint32_t any = had[0].permitted | had[0].inheritable;
        if ((any | had[1].permitted | had[1].inheritable) == 0) return 0;
    }
    return (int)syscall(SYS_capset, &header, none);
}

// Leaves the keyring of the session, and with it the keys that the parent may use.
static inline void clinuxconfinement_leave_keys(void) {
    // KEYCTL_JOIN_SESSION_KEYRING; where it is not possible, the filter keeps keys out of reach.
    (void)syscall(SYS_keyctl, 1, NULL);
}

// glibc 2.34; its own header hides it from Swift. `actions` is a posix_spawn_file_actions_t.
extern int posix_spawn_file_actions_addclosefrom_np(void *actions, int first);

static inline int clinuxconfinement_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
