// Keys, mounts, and other parts of the kernel. Where a call would harm the machine, its arguments
// are such that the kernel refuses them, but only after it has let the call through.
#include "probes.h"
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/swap.h>
#include <sys/time.h>
#include <sys/timex.h>

// What the kernel says about nonsense, after it has let the call through.
static long nonsense(long outcome) {
    int said[] = {EINVAL, EFAULT, ENOENT, EBADF, ENOTDIR, ENOTTY, ESRCH, ENXIO, E2BIG, ENOEXEC};
    for (size_t index = 0; index < sizeof said / sizeof *said; index++) {
        if (outcome < 0 && errno == said[index]) return 0;
    }
    return outcome;
}

static long add_key(void) { return syscall(SYS_add_key, "user", "proxyd-probe", "a", 1UL, -3); }
static long request_key(void) {
    long outcome = syscall(SYS_request_key, "user", "proxyd-none", NULL, -3);
    return outcome < 0 && errno == ENOKEY ? 0 : outcome;
}
static long find_session_keys(void) { return syscall(SYS_keyctl, 0, -3, 0); }
static long find_user_keys(void) { return syscall(SYS_keyctl, 0, -4, 0); }
static long join_keys(void) { return syscall(SYS_keyctl, 1, NULL); }
static long search_keys(void) {
    long outcome = syscall(SYS_keyctl, 10, -4, "user", "proxyd-none", 0);
    return outcome < 0 && errno == ENOKEY ? 0 : outcome;
}

static long mount_temporary(void) {
    return mount("none", around.scratch, "tmpfs", 0, "size=1M") == 0 ? umount(around.scratch) : -1;
}
static long mount_folder(void) {
    long outcome = mount(around.scratch, around.scratch, NULL, MS_BIND, NULL);
    return outcome == 0 ? umount(around.scratch) : -1;
}
static long unmount(void) { return nonsense(umount2(around.scratch, 0)); }
static long pivot(void) {
    return nonsense(syscall(SYS_pivot_root, around.scratch, around.scratch));
}
static long change_root(void) { return chroot(around.scratch); }
static long open_file_system(void) { return syscall(430, "tmpfs", 0); }
static long open_mounts(void) { return syscall(428, AT_FDCWD, around.scratch, 0); }
static long clone_tree(void) { return syscall(428, AT_FDCWD, around.scratch, 1); }
static long move_mounts(void) { return nonsense(syscall(429, -1, "", -1, "", 0)); }
static long pick_file_system(void) { return nonsense(syscall(433, -1, "", 0)); }
static long set_mount(void) {
    uint64_t attributes[4] = {0};
    return nonsense(syscall(442, AT_FDCWD, around.scratch, 0, attributes, sizeof attributes));
}
static long list_mounts(void) {
    uint64_t request[3] = {24, UINT64_MAX, 0}, list[8];
    return syscall(458, request, list, 8UL, 0);
}

static long load_program(void) {
    uint64_t attributes[16] = {0};
    return nonsense(syscall(SYS_bpf, 0 /* BPF_MAP_CREATE */, attributes, sizeof attributes));
}
static long count_events(void) {
    uint32_t attributes[32] = {1 /* PERF_TYPE_SOFTWARE */, 128};
    return syscall(SYS_perf_event_open, attributes, 0, -1, -1, 0);
}
static long handle_faults(void) { return syscall(SYS_userfaultfd, 1 /* UFFD_USER_MODE_ONLY */); }
static long watch_files(void) { return syscall(SYS_fanotify_init, 0x200, 0); }
static long watch_files_simply(void) { return syscall(SYS_inotify_init1, 0); }
static long watch_folder(void) {
    int folder = open(around.own, O_RDONLY);
    return folder < 0 ? -1 : fcntl(folder, 1026 /* F_NOTIFY */, 0);
}
static long lease_file(void) {
    return fcntl(new_file("lease"), 1024 /* F_SETLEASE */, F_WRLCK);
}
static long make_rings(void) {
    uint32_t parameters[32] = {0};
    return syscall(425, 4, parameters);
}
static long enter_rings(void) { return nonsense(syscall(426, -1, 0, 0, 0, NULL, 0UL)); }
static long register_rings(void) { return nonsense(syscall(427, -1, 0, NULL, 0)); }
static long make_memory_file(void) { return syscall(SYS_memfd_create, "a", 0); }
static long make_secret_memory(void) { return syscall(447, 0); }

static long read_log(void) {
    char text[16];
    return syscall(SYS_syslog, 3, text, sizeof text);
}
static long reboot_machine(void) { return nonsense(syscall(SYS_reboot, 0, 0, 0, NULL)); }
static long load_kernel(void) { return nonsense(syscall(SYS_kexec_load, 0UL, 17UL, NULL, ~0UL)); }
static long load_module(void) { return nonsense(syscall(SYS_init_module, NULL, 0UL, NULL)); }
static long load_module_file(void) { return nonsense(syscall(SYS_finit_module, -1, "", 0)); }
static long remove_module(void) { return nonsense(syscall(SYS_delete_module, "proxyd-none", 0)); }
static long account(void) { return nonsense(syscall(SYS_acct, "/nonexistent")); }
static long swap_on(void) { return nonsense(swapon("/nonexistent", 0)); }
static long swap_off(void) { return nonsense(swapoff("/nonexistent")); }
static long set_quota(void) { return nonsense(syscall(SYS_quotactl, 0xFFFFFF00, NULL, 0, NULL)); }
static long set_clock(void) {
    struct timespec time = {-1, -1};
    return nonsense(syscall(SYS_clock_settime, 0, &time));
}
static long set_day(void) {
    struct timeval time = {-1, -1};
    return nonsense(syscall(SYS_settimeofday, &time, NULL));
}
static long adjust_clock(void) {
    struct timex change = {0};
    return syscall(SYS_adjtimex, &change);
}
static long name_machine(void) { return nonsense(syscall(SYS_sethostname, NULL, 1UL)); }
static long name_domain(void) { return nonsense(syscall(SYS_setdomainname, NULL, 1UL)); }
static long synchronize(void) { return syscall(SYS_sync); }
static long hang_up(void) {
    // Only asked for where a filter is: it would take the terminal from the user.
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2 ? syscall(SYS_vhangup) : 0;
}

// A terminal of its own, or a file where there can be none: the filter sees the request alone.
static int terminal(void) {
    int other = posix_openpt(O_RDWR | O_NOCTTY);
    if (other < 0 || unlockpt(other) != 0) return STDIN_FILENO;
    int own = open(ptsname(other), O_RDWR | O_NOCTTY);
    return own < 0 ? STDIN_FILENO : own;
}
static long type_into_terminal(void) { return nonsense(ioctl(terminal(), 0x5412, NULL)); }
static long paste_into_terminal(void) { return nonsense(ioctl(terminal(), 0x541C, NULL)); }
static long take_terminal(void) { return nonsense(ioctl(terminal(), 0x540E, 0)); }
static long give_terminal(void) { return nonsense(ioctl(terminal(), 0x5410, NULL)); }
static long set_terminal(void) { return nonsense(ioctl(terminal(), 0x5402, NULL)); }
static long set_terminal_size(void) { return nonsense(ioctl(terminal(), 0x5414, NULL)); }
static long high_request(void) {
    return nonsense(syscall(SYS_ioctl, terminal(), 0x5412UL | 1UL << 32, NULL));
}
static long set_file_flags(void) {
    int flags = 0;
    return nonsense(ioctl(new_file("flags"), 0x40086602, &flags));
}
static long encrypt_file(void) { return nonsense(ioctl(new_file("flags"), 0x800c6613, NULL)); }
static long read_drive(void) { return nonsense(ioctl(STDIN_FILENO, 0x2285, NULL)); }

#ifdef __x86_64__
static long change_segments(void) {
    char entry[16];
    return syscall(SYS_modify_ldt, 0, entry, sizeof entry);
}
static long use_ports(void) { return syscall(SYS_ioperm, 0x80UL, 1UL, 0); }
static long use_all_ports(void) { return syscall(SYS_iopl, 0); }
static long watch_files_oldly(void) { return syscall(SYS_inotify_init); }
// getpid of the other architectures that the processor knows.
static long call_as_x32(void) { return syscall(0x40000000 | SYS_getpid); }
static long call_as_i386(void) {
    long outcome = 20;
    __asm__ volatile("int $0x80" : "+a"(outcome) : : "memory", "r8", "r9", "r10", "r11");
    if (outcome >= 0) return outcome;
    errno = (int)-outcome;
    return -1;
}
#endif
static long call_unknown(void) { return nonsense(syscall(100000)); }

const struct probe kernel_probes[] = {
    {"add a key", add_key, 1},
    {"request a key", request_key, 1},
    {"find the keys of the session", find_session_keys, 1},
    {"find the keys of the user", find_user_keys, 1},
    {"join a session of keys", join_keys, 1},
    {"search keys", search_keys, 1},
    {"mount a file system", mount_temporary, 1},
    {"mount a folder", mount_folder, 1},
    {"unmount", unmount, 1},
    {"pivot the root", pivot, 1},
    {"change the root", change_root, 1},
    {"open a file system", open_file_system, 1},
    {"open a tree of mounts", open_mounts, 1},
    {"copy a tree of mounts", clone_tree, 1},
    {"move a mount", move_mounts, 1},
    {"pick a file system", pick_file_system, 1},
    {"set attributes of a mount", set_mount, 1},
    {"list mounts", list_mounts, 1},
    {"use the kernel's BPF", load_program, 1},
    {"count events of the processor", count_events, 1},
    {"handle faults of memory", handle_faults, 1},
    {"watch files (fanotify)", watch_files, 1},
    {"watch files (inotify)", watch_files_simply, 0},
    {"watch a folder (F_NOTIFY)", watch_folder, 0},
    {"lease a file", lease_file, 1},
    {"make rings", make_rings, 1},
    {"enter rings", enter_rings, 1},
    {"register rings", register_rings, 1},
    {"make a memory file", make_memory_file, 0},
    {"make secret memory", make_secret_memory, 1},
    {"read the kernel's log", read_log, 1},
    {"reboot", reboot_machine, 1},
    {"load a kernel", load_kernel, 1},
    {"load a module", load_module, 1},
    {"load a module from a file", load_module_file, 1},
    {"remove a module", remove_module, 1},
    {"switch accounting on", account, 1},
    {"switch swap on", swap_on, 1},
    {"switch swap off", swap_off, 1},
    {"set a quota", set_quota, 1},
    {"set the clock", set_clock, 1},
    {"set the time of day", set_day, 1},
    {"adjust the clock", adjust_clock, 1},
    {"name the machine", name_machine, 1},
    {"name the domain", name_domain, 1},
    {"write all disks", synchronize, 0},
    {"hang the terminal up", hang_up, 0},
    {"type into a terminal", type_into_terminal, 1},
    {"type into a terminal with high bits", high_request, 1},
    {"paste into a terminal", paste_into_terminal, 1},
    {"take a terminal", take_terminal, 1},
    {"give a terminal to a group", give_terminal, 1},
    {"set a terminal", set_terminal, 1},
    {"set the size of a terminal", set_terminal_size, 1},
    {"set flags of a file", set_file_flags, 1},
    {"encrypt a file", encrypt_file, 1},
    {"send a command to a drive", read_drive, 0},
#ifdef __x86_64__
    {"change segments", change_segments, 1},
    {"use ports", use_ports, 1},
    {"use all ports", use_all_ports, 1},
    {"watch files (older inotify)", watch_files_oldly, 0},
    {"call the kernel as x32", call_as_x32, 1},
    {"call the kernel as i386", call_as_i386, 1},
#endif
    {"call what is not known", call_unknown, 1},
    {NULL, NULL, 0},
};
