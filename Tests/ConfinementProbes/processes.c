// Processes: signals, traces, limits, priorities, groups and namespaces.
#include "probes.h"
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>

static long signal_watcher(void) { return kill(around.watcher, 0); }
static long signal_parent(void) { return kill(around.parent, 0); }
static long signal_all(void) { return kill(-1, 0); }
static long signal_other_group(void) { return kill(-getpgid(around.other), 0); }
static long signal_watcher_group(void) { return kill(-getpgid(around.watcher), 0); }
static long signal_watcher_tkill(void) { return syscall(SYS_tkill, around.watcher, 0); }
static long signal_watcher_tgkill(void) {
    return syscall(SYS_tgkill, around.watcher, around.watcher, 0);
}
static long signal_watcher_queue(void) {
    siginfo_t information = {.si_signo = 0, .si_code = SI_QUEUE};
    return syscall(SYS_rt_sigqueueinfo, around.watcher, 0, &information);
}
static long signal_watcher_thread_queue(void) {
    siginfo_t information = {.si_signo = 0, .si_code = SI_QUEUE};
    return syscall(SYS_rt_tgsigqueueinfo, around.watcher, around.watcher, 0, &information);
}
static long open_watcher(void) { return syscall(434, around.watcher, 0); }
static long open_parent(void) { return syscall(434, around.parent, 0); }
static long signal_by_owner(void) {
    int ends[2];
    return pipe(ends) == 0 ? fcntl(ends[0], F_SETOWN, getpid()) : -1;
}
static long choose_signal(void) {
    int ends[2];
    return pipe(ends) == 0 ? fcntl(ends[0], F_SETSIG, SIGUSR1) : -1;
}
static long signal_by_owner_ex(void) {
    struct f_owner_ex owner = {F_OWNER_PID, getpid()};
    int ends[2];
    return pipe(ends) == 0 ? fcntl(ends[0], F_SETOWN_EX, &owner) : -1;
}
static long signal_by_socket(void) {
    int ends[2], owner = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
    return ioctl(ends[0], 0x8902, &owner);
}

static long trace_itself(void) { return ptrace(PTRACE_TRACEME, 0, 0, 0); }
static long trace_other(void) { return ptrace(PTRACE_SEIZE, around.other, 0, 0); }
static long trace_watcher(void) { return ptrace(PTRACE_SEIZE, around.watcher, 0, 0); }
static long read_memory(void) {
    char from = 'a', to = 'b';
    struct iovec local = {&to, 1}, remote = {&from, 1};
    return syscall(SYS_process_vm_readv, getpid(), &local, 1, &remote, 1, 0);
}
static long write_memory(void) {
    char from = 'a', to = 'b';
    struct iovec local = {&from, 1}, remote = {&to, 1};
    return syscall(SYS_process_vm_writev, getpid(), &local, 1, &remote, 1, 0);
}
static long take_descriptor(void) {
    int process = (int)syscall(434, getpid(), 0);
    return process < 0 ? -1 : syscall(438, process, 0, 0);
}
static long compare_processes(void) { return syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 0); }
static long advise_process(void) {
    static char page[8192];
    struct iovec range = {(char *)((uintptr_t)(page + 4095) & ~(uintptr_t)4095), 4096};
    int process = (int)syscall(434, getpid(), 0);
    return process < 0 ? -1 : syscall(440, process, &range, 1, 20, 0);
}

static long limit_other(void) {
    struct rlimit limit;
    return prlimit(around.other, RLIMIT_NOFILE, NULL, &limit);
}
static long set_priority(void) { return setpriority(PRIO_PROCESS, 0, 5); }
static long set_other_priority(void) {
    return setpriority(PRIO_PROCESS, (id_t)around.other, 5);
}
static long schedule(void) {
    struct sched_param parameter = {0};
    return syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &parameter);
}
static long schedule_parameter(void) {
    struct sched_param parameter = {0};
    return syscall(SYS_sched_setparam, 0, &parameter);
}
static long schedule_attributes(void) {
    uint32_t attributes[12] = {48, SCHED_BATCH};
    return syscall(SYS_sched_setattr, 0, attributes, 0);
}
static long choose_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return -1;
    return sched_setaffinity(0, sizeof set, &set);
}
static long choose_other_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return -1;
    return sched_setaffinity(around.other, sizeof set, &set);
}
static long set_io_priority(void) { return syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 7); }
static long move_pages_of(void) {
    void *page = &around;
    int node = 0, status = 0;
    return syscall(SYS_move_pages, 0, 1UL, &page, &node, &status, 2);
}
static long migrate(void) {
    unsigned long nodes = 1;
    return syscall(SYS_migrate_pages, 0, 2UL, &nodes, &nodes);
}

static long new_session(void) { return setsid(); }
static long new_group(void) { return setpgid(0, 0); }
static long group_of_child(void) {
    pid_t child = fork();
    if (child == 0) for (;;) pause();
    long outcome = setpgid(child, child);
    int reason = errno;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    errno = reason;
    return outcome;
}

// Lets the child of a clone end, and says whether there was one.
static long cloned(unsigned long flags) {
    long child = syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, 0);
    if (child == 0) _exit(0);
    if (child > 0) waitpid((pid_t)child, NULL, 0);
    return child;
}
static long clone_user(void) { return cloned(CLONE_NEWUSER); }
static long clone_process(void) { return cloned(CLONE_NEWUSER | CLONE_NEWPID); }
static long clone_network(void) { return cloned(CLONE_NEWUSER | CLONE_NEWNET); }
static long clone_mounts(void) { return cloned(CLONE_NEWUSER | CLONE_NEWNS); }
static long clone_sibling(void) {
    long child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0);
    if (child == 0) _exit(0);
    return child;
}
static long clone_3(void) {
    uint64_t arguments[8] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0};
    long child = syscall(435, arguments, sizeof arguments);
    if (child == 0) _exit(0);
    return child;
}
static long clone_3_plain(void) {
    uint64_t arguments[8] = {0, 0, 0, 0, SIGCHLD, 0, 0, 0};
    long child = syscall(435, arguments, sizeof arguments);
    if (child == 0) _exit(0);
    return child;
}
static long leave_users(void) { return unshare(CLONE_NEWUSER); }
static long leave_network(void) { return unshare(CLONE_NEWUSER | CLONE_NEWNET); }
static long leave_mounts(void) { return unshare(CLONE_NEWUSER | CLONE_NEWNS); }
static long leave_processes(void) { return unshare(CLONE_NEWUSER | CLONE_NEWPID); }
static long leave_ipc(void) { return unshare(CLONE_NEWUSER | CLONE_NEWIPC); }
static long leave_names(void) { return unshare(CLONE_NEWUSER | CLONE_NEWUTS); }
static long leave_descriptors(void) { return unshare(CLONE_FILES); }
static long enter_namespace(void) {
    int process = (int)syscall(434, getpid(), 0);
    return process < 0 ? -1 : setns(process, CLONE_NEWUTS);
}

static long outlive(void) { return prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0); }
static long ignore_death(void) { return prctl(PR_SET_PDEATHSIG, SIGURG, 0, 0, 0); }
static long hide(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
static long take_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
static long allow_tracer(void) { return prctl(0x59616d61, -1L, 0, 0, 0); }
static long move_marks(void) {
    unsigned size = 0;
    return prctl(PR_SET_MM, PR_SET_MM_MAP_SIZE, &size, 0, 0);
}
static long keep_machine_checks(void) { return prctl(PR_MCE_KILL, PR_MCE_KILL_CLEAR, 0, 0, 0); }
static long be_old(void) { return syscall(SYS_personality, 0x0040000); }
static long set_groups(void) {
    gid_t group = getgid();
    return syscall(SYS_setgroups, 1, &group);
}
// These have no way to fail: they return the old value, which then changes.
static long set_file_user(void) {
    errno = 0;
    long outcome = syscall(SYS_setfsuid, getuid());
    return outcome < 0 ? -1 : 0;
}
static long set_robust_list_of(void) {
    void *head = NULL;
    size_t length = 0;
    return syscall(SYS_get_robust_list, 0, &head, &length);
}

const struct probe process_probes[] = {
    {"signal the watcher", signal_watcher, 0},
    {"signal the watcher (tkill)", signal_watcher_tkill, 0},
    {"signal the watcher (tgkill)", signal_watcher_tgkill, 0},
    {"signal the watcher (rt_sigqueueinfo)", signal_watcher_queue, 0},
    {"signal the watcher (rt_tgsigqueueinfo)", signal_watcher_thread_queue, 0},
    {"signal the group of the watcher", signal_watcher_group, 0},
    {"signal the parent of the watcher", signal_parent, 0},
    {"signal all processes", signal_all, 0},
    {"signal another group", signal_other_group, 0},
    {"open the watcher", open_watcher, 0},
    {"open the parent of the watcher", open_parent, 0},
    {"get signals of a descriptor sent (F_SETOWN)", signal_by_owner, 0},
    {"get signals of a descriptor sent (F_SETOWN_EX)", signal_by_owner_ex, 0},
    {"get signals of a descriptor sent (SIOCSPGRP)", signal_by_socket, 0},
    {"choose the signal of a descriptor", choose_signal, 0},
    {"be traced", trace_itself, 1},
    {"trace another process", trace_other, 1},
    {"trace the watcher", trace_watcher, 1},
    {"read memory of a process", read_memory, 1},
    {"write memory of a process", write_memory, 1},
    {"take a descriptor of a process", take_descriptor, 1},
    {"compare processes", compare_processes, 1},
    {"advise on memory of a process", advise_process, 1},
    {"read limits of another process", limit_other, 0},
    {"set its priority", set_priority, 0},
    {"set the priority of another process", set_other_priority, 0},
    {"change its scheduling", schedule, 0},
    {"change the parameter of its scheduling", schedule_parameter, 0},
    {"change the attributes of its scheduling", schedule_attributes, 0},
    {"choose its processors", choose_processors, 0},
    {"choose the processors of another process", choose_other_processors, 0},
    {"set its priority of input and output", set_io_priority, 1},
    {"move pages", move_pages_of, 1},
    {"migrate pages", migrate, 1},
    {"begin a session", new_session, 0},
    {"begin a group", new_group, 0},
    {"begin a group with a child", group_of_child, 0},
    {"have a child in a namespace of users", clone_user, 1},
    {"have a child in a namespace of processes", clone_process, 1},
    {"have a child in a namespace of the network", clone_network, 1},
    {"have a child in a namespace of mounts", clone_mounts, 1},
    {"have a child of its parent", clone_sibling, 0},
    {"have a child in a namespace (clone3)", clone_3, 1},
    {"have a child (clone3)", clone_3_plain, 1},
    {"enter a namespace of users", leave_users, 1},
    {"enter a namespace of the network", leave_network, 1},
    {"enter a namespace of mounts", leave_mounts, 1},
    {"enter a namespace of processes", leave_processes, 1},
    {"enter a namespace of System V IPC", leave_ipc, 1},
    {"enter a namespace of names", leave_names, 1},
    {"enter a namespace of a process", enter_namespace, 1},
    {"have descriptors of its own", leave_descriptors, 1},
    {"outlive its parent", outlive, 0},
    {"ignore the end of its parent", ignore_death, 0},
    {"hide from examination", hide, 0},
    {"take orphans", take_orphans, 0},
    {"allow a tracer", allow_tracer, 1},
    {"move marks of its memory", move_marks, 1},
    {"change what machine checks do", keep_machine_checks, 1},
    {"have addresses that are not random", be_old, 1},
    {"set its groups", set_groups, 1},
    {"set its user for files", set_file_user, 0},
    {"read the list of its locks", set_robust_list_of, 0},
    {NULL, NULL, 0},
};
