#pragma once
// The system calls that a confined program may make, in groups; all others are refused. A call
// whose harm depends on an argument is not here, but in filter.h.
#include <stdint.h>
#include <sys/syscall.h>

// Headers may be older than kernels. From 424 on, numbers are the same on all architectures.
#define CLINUXCONFINEMENT_pidfd_open 434
#define CLINUXCONFINEMENT_clone3 435
#define CLINUXCONFINEMENT_close_range 436
#define CLINUXCONFINEMENT_openat2 437
#define CLINUXCONFINEMENT_pidfd_send_signal 424
#define CLINUXCONFINEMENT_faccessat2 439
#define CLINUXCONFINEMENT_epoll_pwait2 441
#define CLINUXCONFINEMENT_landlock_create_ruleset 444
#define CLINUXCONFINEMENT_landlock_add_rule 445
#define CLINUXCONFINEMENT_landlock_restrict_self 446
#define CLINUXCONFINEMENT_futex_waitv 449
#define CLINUXCONFINEMENT_cachestat 451
#define CLINUXCONFINEMENT_map_shadow_stack 453
#define CLINUXCONFINEMENT_futex_wake 454
#define CLINUXCONFINEMENT_futex_wait 455
#define CLINUXCONFINEMENT_futex_requeue 456
#define CLINUXCONFINEMENT_mseal 462
#define CLINUXCONFINEMENT_getxattrat 464
#define CLINUXCONFINEMENT_listxattrat 465
#ifdef __NR_rseq
#define CLINUXCONFINEMENT_rseq __NR_rseq
#elif defined(__x86_64__)
#define CLINUXCONFINEMENT_rseq 334
#else
#define CLINUXCONFINEMENT_rseq 293
#endif
// The first number that this table does not know.
#define CLINUXCONFINEMENT_FIRST_UNKNOWN 470

static const uint16_t clinuxconfinement_allowed[] = {
    // Bytes of what is open already: Landlock and the calls below decide what can be opened.
    __NR_read, __NR_write, __NR_readv, __NR_writev, __NR_pread64, __NR_pwrite64, __NR_preadv,
    __NR_pwritev, __NR_preadv2, __NR_pwritev2, __NR_lseek, __NR_close,
    CLINUXCONFINEMENT_close_range, __NR_dup, __NR_dup3, __NR_sendfile, __NR_copy_file_range,
    __NR_splice, __NR_tee, __NR_vmsplice, __NR_fsync, __NR_fdatasync, __NR_sync_file_range,
    __NR_ftruncate, __NR_fallocate, __NR_flock, __NR_fadvise64, __NR_readahead,
    CLINUXCONFINEMENT_cachestat,

    // Files by path, which Landlock restricts. Owners, modes, times and attributes, which it does
    // not, can only be read.
    __NR_openat, CLINUXCONFINEMENT_openat2, __NR_newfstatat, __NR_fstat, __NR_statx, __NR_statfs,
    __NR_fstatfs, __NR_faccessat, CLINUXCONFINEMENT_faccessat2, __NR_readlinkat, __NR_getdents64,
    __NR_getcwd, __NR_chdir, __NR_fchdir, __NR_mkdirat, __NR_mknodat, __NR_unlinkat, __NR_linkat,
    __NR_symlinkat, __NR_renameat, __NR_renameat2, __NR_truncate, __NR_umask, __NR_getxattr,
    __NR_lgetxattr, __NR_fgetxattr, __NR_listxattr, __NR_llistxattr, __NR_flistxattr,
    CLINUXCONFINEMENT_getxattrat, CLINUXCONFINEMENT_listxattrat,

    // The program's own memory, without executing in other processes or sharing by a name.
    __NR_brk, __NR_mmap, __NR_munmap, __NR_mremap, __NR_mprotect, __NR_msync, __NR_mincore,
    __NR_madvise, __NR_mlock, __NR_mlock2, __NR_munlock, __NR_mlockall, __NR_munlockall,
    __NR_pkey_alloc, __NR_pkey_free, __NR_pkey_mprotect, __NR_get_mempolicy, __NR_set_mempolicy,
    __NR_mbind, CLINUXCONFINEMENT_map_shadow_stack, CLINUXCONFINEMENT_mseal,

    // Its own programs and threads. clone is in filter.h.
    __NR_execve, __NR_execveat, __NR_exit, __NR_exit_group, __NR_wait4, __NR_waitid,
    __NR_set_tid_address, __NR_set_robust_list, CLINUXCONFINEMENT_rseq, __NR_futex,
    CLINUXCONFINEMENT_futex_waitv, CLINUXCONFINEMENT_futex_wake, CLINUXCONFINEMENT_futex_wait,
    CLINUXCONFINEMENT_futex_requeue, __NR_membarrier, __NR_sched_yield, __NR_restart_syscall,

    // Signals to itself. What sends them to others is in filter.h.
    __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigpending, __NR_rt_sigsuspend,
    __NR_rt_sigtimedwait, __NR_rt_sigreturn, __NR_sigaltstack, __NR_signalfd4,
    CLINUXCONFINEMENT_pidfd_send_signal,

    // Waiting, and timers.
    __NR_ppoll, __NR_pselect6, __NR_epoll_create1, __NR_epoll_ctl, __NR_epoll_pwait,
    CLINUXCONFINEMENT_epoll_pwait2, __NR_eventfd2, __NR_pipe2, __NR_nanosleep, __NR_clock_nanosleep,
    __NR_clock_gettime, __NR_clock_getres, __NR_gettimeofday, __NR_times, __NR_getitimer,
    __NR_setitimer, __NR_timer_create, __NR_timer_settime, __NR_timer_gettime,
    __NR_timer_getoverrun, __NR_timer_delete, __NR_timerfd_create, __NR_timerfd_settime,
    __NR_timerfd_gettime,

    // Facts about itself and the machine. Without privileges, its limits can only become narrower
    // and its user stays the same, but programs make sure that they have none. What it restricts
    // itself with comes on top of this.
    __NR_getpid, __NR_getppid, __NR_gettid, __NR_getpgid, __NR_getsid, __NR_getuid, __NR_geteuid,
    __NR_getgid, __NR_getegid, __NR_getresuid, __NR_getresgid, __NR_getgroups, __NR_capget,
    __NR_capset, __NR_setuid, __NR_setgid, __NR_setreuid, __NR_setregid, __NR_setresuid,
    __NR_setresgid, __NR_getrusage, __NR_getrlimit, __NR_setrlimit, __NR_getpriority,
    __NR_ioprio_get, __NR_sched_getaffinity, __NR_sched_getparam, __NR_sched_getscheduler,
    __NR_sched_getattr, __NR_sched_get_priority_min, __NR_sched_get_priority_max,
    __NR_sched_rr_get_interval, __NR_getcpu, __NR_uname, __NR_sysinfo, __NR_getrandom,
    __NR_seccomp, CLINUXCONFINEMENT_landlock_create_ruleset, CLINUXCONFINEMENT_landlock_add_rule,
    CLINUXCONFINEMENT_landlock_restrict_self,

    // Sockets that exist. What makes them is in filter.h.
    __NR_sendto, __NR_sendmsg, __NR_sendmmsg, __NR_recvfrom, __NR_recvmsg, __NR_recvmmsg,
    __NR_shutdown, __NR_getsockname, __NR_getpeername, __NR_getsockopt, __NR_setsockopt,

#ifdef __x86_64__
    // Older forms of these.
    __NR_open, __NR_creat, __NR_stat, __NR_lstat, __NR_access, __NR_readlink, __NR_getdents,
    __NR_mkdir, __NR_rmdir, __NR_mknod, __NR_unlink, __NR_link, __NR_symlink, __NR_rename,
    __NR_dup2, __NR_pipe, __NR_poll, __NR_select, __NR_epoll_create, __NR_epoll_wait,
    __NR_eventfd, __NR_signalfd, __NR_pause, __NR_alarm, __NR_time, __NR_getpgrp,
    __NR_arch_prctl, __NR_fork, __NR_vfork,
#endif
};

// Only with the network: names for sockets, and connections.
static const uint16_t clinuxconfinement_allowed_with_network[] = {
    __NR_connect, __NR_bind, __NR_listen, __NR_accept, __NR_accept4,
};

// What programs and libraries do in another way where the kernel does not have it (ENOSYS). The
// flags of clone3 are in memory, where a filter cannot see them; the rings of io_uring make calls
// that no filter sees; what is in a memory file belongs to no process.
static const uint16_t clinuxconfinement_missing[] = {
    CLINUXCONFINEMENT_clone3, 425, 426, 427,  // io_uring_setup, _enter, _register
    __NR_memfd_create,
};
