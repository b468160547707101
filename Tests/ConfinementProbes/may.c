// What programs need, and may do with the network and without it.
#include "probes.h"
#include <dirent.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

static long ended(pid_t child) {
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) < 0) return -1;
    errno = ECHILD;
    return status == 0 ? 0 : -1;
}

static long fork_child(void) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    return ended(child);
}
static long vfork_child(void) {
    pid_t child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", ":", (char *)NULL);
        _exit(127);
    }
    return ended(child);
}
static long spawn_child(void) {
    char *words[] = {"sh", "-c", "exit 0", NULL};
    pid_t child = -1;
    errno = posix_spawnp(&child, "sh", NULL, NULL, words, NULL);
    return errno != 0 ? -1 : ended(child);
}
static long pipe_in_shell(void) {
    return system("test \"$(echo a b | tr ' ' '\\n' | sort -r | head -n 1)\" = b") == 0 ? 0 : -1;
}
static void *nothing(void *value) { return value; }
static long start_threads(void) {
    for (int count = 0; count < 8; count++) {
        pthread_t thread;
        errno = pthread_create(&thread, NULL, nothing, NULL);
        if (errno != 0) return -1;
        pthread_join(thread, NULL);
    }
    return 0;
}
static long use_pipe(void) {
    int ends[2];
    char byte;
    if (pipe2(ends, O_CLOEXEC) != 0 || write(ends[1], "a", 1) != 1) return -1;
    return read(ends[0], &byte, 1) == 1 ? 0 : -1;
}
static long use_pair(void) {
    int ends[2];
    char byte;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return -1;
    if (send(ends[0], "a", 1, 0) != 1) return -1;
    return recv(ends[1], &byte, 1, 0) == 1 ? shutdown(ends[0], SHUT_WR) : -1;
}
static long map_private(void) {
    char *memory = mmap(
        NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return -1;
    memory[4096] = 1;
    if (madvise(memory, 1 << 20, MADV_DONTNEED) != 0) return -1;
    return mremap(memory, 1 << 20, 1 << 21, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0;
}
static long map_shared(void) {
    char *memory = mmap(
        NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return -1;
    pid_t child = fork();
    if (child == 0) {
        *memory = 7;
        _exit(0);
    }
    return ended(child) == 0 && *memory == 7 ? 0 : -1;
}
static long map_file(void) {
    int file = new_file("mapped");
    if (ftruncate(file, 4096) != 0) return -1;
    char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return -1;
    *memory = 1;
    return msync(memory, 4096, MS_SYNC);
}
static long make_code(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(memory, 4096, PROT_READ | PROT_EXEC);
}
static long reserve_addresses(void) {
    void *memory = mmap(
        NULL, 1UL << 38, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? -1 : 0;
}
static long wait_for_many(void) {
    int events = epoll_create1(EPOLL_CLOEXEC), counter = eventfd(1, EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN};
    if (events < 0 || epoll_ctl(events, EPOLL_CTL_ADD, counter, &event) != 0) return -1;
    return epoll_wait(events, &event, 1, 5000) == 1 ? 0 : -1;
}
static long wait_for_timer(void) {
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec time = {{0, 0}, {0, 1000}};
    if (timer < 0 || timerfd_settime(timer, 0, &time, NULL) != 0) return -1;
    struct pollfd watched = {timer, POLLIN, 0};
    return poll(&watched, 1, 5000) == 1 ? 0 : -1;
}
static long signal_group(void) {
    signal(SIGURG, SIG_IGN);
    return kill(0, SIGURG);
}
static long signal_group_by_number(void) {
    signal(SIGURG, SIG_IGN);
    return kill(-getpgrp(), SIGURG);
}
static long signal_child(void) {
    pid_t child = fork();
    if (child == 0) for (;;) pause();
    if (kill(child, SIGTERM) != 0) return -1;
    int status = 0;
    return waitpid(child, &status, 0) == child && WTERMSIG(status) == SIGTERM ? 0 : -1;
}
static volatile sig_atomic_t caught = 0;
static void catch(int number) { caught = number; }
static long signal_itself(void) {
    signal(SIGUSR1, catch);
    return raise(SIGUSR1) == 0 && caught == SIGUSR1 ? 0 : -1;
}
static long receive_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC) >= 0 ? raise(SIGUSR2) : -1;
}
static long open_child(void) {
    pid_t child = fork();
    if (child == 0) for (;;) pause();
    int process = (int)syscall(434, child, 0);
    // Kernels before 5.3 have none.
    if (process < 0 && errno != ENOSYS) return -1;
    return kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child ? 0 : -1;
}
static long set_alarm(void) {
    struct timespec moment = {0, 1000};
    alarm(5);
    return nanosleep(&moment, NULL);
}
static long read_clocks(void) {
    struct timespec time;
    return clock_gettime(CLOCK_REALTIME, &time) + clock_getres(CLOCK_MONOTONIC, &time);
}
static long get_random(void) {
    char bytes[16];
    return getrandom(bytes, sizeof bytes, 0);
}
static long use_files(void) {
    const char *from = new_path("from"), *to = in(around.scratch, "to");
    struct stat status;
    if (rename(from, to) != 0 || stat(to, &status) != 0) return -1;
    return unlink(to);
}
static long use_folders(void) {
    const char *path = in(around.scratch, "made");
    (void)rmdir(path);
    if (mkdir(path, 0700) != 0 || chdir(path) != 0) return -1;
    return rmdir(path);
}
static long use_links(void) {
    const char *path = in(around.scratch, "to-file");
    char text[8];
    (void)unlink(path);
    if (symlink("file", path) != 0) return -1;
    return readlink(path, text, sizeof text) == 4 ? 0 : -1;
}
static long use_fifo(void) {
    const char *path = in(around.scratch, "fifo");
    (void)unlink(path);
    return mkfifo(path, 0600);
}
static long lock_files(void) {
    int file = new_file("lock");
    struct flock lock = {.l_type = F_WRLCK};
    if (fcntl(file, F_SETLK, &lock) != 0 || fcntl(file, F_OFD_GETLK, &lock) != 0) return -1;
    return flock(file, LOCK_EX | LOCK_NB);
}
static long keep_on_disk(void) {
    int file = new_file("kept");
    if (write(file, "a", 1) != 1 || fdatasync(file) != 0) return -1;
    return fsync(file);
}
static long copy_files(void) {
    int from = open(in(around.own, "file"), O_RDONLY), to = new_file("copy");
    return sendfile(to, from, NULL, 7) == 7 ? 0 : -1;
}
static long read_own(void) { return open(in(around.own, "file"), O_RDONLY); }
static long list_own(void) { return opendir(around.own) == NULL ? -1 : 0; }
static long list_system(void) { return opendir("/usr/bin") == NULL ? -1 : 0; }
static long read_attributes(void) {
    char value[8];
    long outcome = syscall(SYS_getxattr, new_path("x"), "user.none", value, sizeof value);
    return outcome < 0 && (errno == ENODATA || errno == EOPNOTSUPP) ? 0 : outcome;
}
static long use_devices(void) {
    int null = open("/dev/null", O_WRONLY), zero = open("/dev/zero", O_RDONLY);
    char byte = 1;
    return write(null, "a", 1) == 1 && read(zero, &byte, 1) == 1 && byte == 0 ? 0 : -1;
}
static long set_own_limits(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    if (limit.rlim_cur > 64) limit.rlim_cur = 64;
    return setrlimit(RLIMIT_NOFILE, &limit);
}
static long name_itself(void) { return prctl(PR_SET_NAME, "probe", 0, 0, 0); }
static long end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }
static long count_processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set);
}
static long ask_descriptors(void) {
    int count = 0, ends[2];
    if (pipe(ends) != 0 || ioctl(ends[0], FIONREAD, &count) != 0) return -1;
    int on = 1;
    return ioctl(ends[0], FIONBIO, &on) == 0 && !isatty(ends[0]) ? 0 : -1;
}
static long restrict_itself(void) {
    struct sock_filter line = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog program = {1, &line};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}
static long keep_user(void) { return setresuid(getuid(), getuid(), getuid()); }
static long close_many(void) {
    long outcome = syscall(436, 100, ~0U, 0);
    // Kernels before 5.9 do not have it.
    return outcome < 0 && errno == ENOSYS ? 0 : outcome;
}

const struct probe positive_probes[] = {
    {"fork a child", fork_child, 0},
    {"run a program (vfork)", vfork_child, 0},
    {"run a program (posix_spawn)", spawn_child, 0},
    {"use pipes of the shell", pipe_in_shell, 0},
    {"start threads", start_threads, 0},
    {"use a pipe", use_pipe, 0},
    {"use a pair of streams", use_pair, 0},
    {"map memory", map_private, 0},
    {"map memory for its children", map_shared, 0},
    {"map a file", map_file, 0},
    {"make code as it runs", make_code, 0},
    {"reserve many addresses", reserve_addresses, 0},
    {"wait for several descriptors", wait_for_many, 0},
    {"wait for a timer", wait_for_timer, 0},
    {"signal its group", signal_group, 0},
    {"signal its group by the number", signal_group_by_number, 0},
    {"signal a child", signal_child, 0},
    {"signal itself", signal_itself, 0},
    {"receive signals by a descriptor", receive_signals, 0},
    {"open a child", open_child, 0},
    {"set an alarm", set_alarm, 0},
    {"read clocks", read_clocks, 0},
    {"get random bytes", get_random, 0},
    {"write files", use_files, 0},
    {"make folders", use_folders, 0},
    {"make links", use_links, 0},
    {"make a named pipe", use_fifo, 0},
    {"lock files", lock_files, 0},
    {"keep files on the disk", keep_on_disk, 0},
    {"copy files", copy_files, 0},
    {"read a file beside a secret", read_own, 0},
    {"list the folder of a secret", list_own, 0},
    {"list programs of the system", list_system, 0},
    {"read attributes", read_attributes, 0},
    {"use devices", use_devices, 0},
    {"lower its limits", set_own_limits, 0},
    {"name itself", name_itself, 0},
    {"end with its parent", end_with_parent, 0},
    {"count processors", count_processors, 0},
    {"ask about descriptors", ask_descriptors, 0},
    {"restrict itself further", restrict_itself, 0},
    {"keep its user", keep_user, 0},
    {"close many descriptors", close_many, 0},
    {NULL, NULL, 0},
};
