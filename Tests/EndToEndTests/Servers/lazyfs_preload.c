// What a daemon needs whose data directory lies on LazyFS, loaded before the C library (LD_PRELOAD).
//
// LazyFS makes no sockets. The control socket is made at CONTROL_SOCKET instead, and the place that
// was asked for gets a symbolic link to it.
//
// When a write-ahead log was flushed is written to FLUSHES: the nanoseconds of the monotonic clock at
// which the flush began, one line each.
//
// Files whose paths end with FORGET_FLUSHES, where that is set, are not flushed though every flush
// succeeds: a fault that the check must find.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
    const char *elsewhere = getenv("CONTROL_SOCKET");
    if (elsewhere && address->sa_family == AF_UNIX) {
        const char *path = ((const struct sockaddr_un *)address)->sun_path;
        struct sockaddr_un moved = {.sun_family = AF_UNIX};
        if (strlen(elsewhere) >= sizeof moved.sun_path) {
            errno = ENAMETOOLONG;
            return -1;
        }
        strcpy(moved.sun_path, elsewhere);
        unlink(elsewhere);
        if (syscall(SYS_bind, descriptor, &moved, sizeof moved) != 0) return -1;
        return symlink(elsewhere, path);
    }
    return (int)syscall(SYS_bind, descriptor, address, length);
}

static int ends_with(int descriptor, const char *end) {
    if (!end) return 0;
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path), end_length = (ssize_t)strlen(end);
    return length >= end_length && memcmp(path + length - end_length, end, (size_t)end_length) == 0;
}

static void note_flush(struct timespec began) {
    const char *file = getenv("FLUSHES");
    if (!file) return;
    int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dprintf(descriptor, "%lld\n", (long long)began.tv_sec * 1000000000 + began.tv_nsec);
    close(descriptor);
}

static int flush(long call, int descriptor) {
    struct timespec began;
    clock_gettime(CLOCK_MONOTONIC, &began);
    int is_forgotten = ends_with(descriptor, getenv("FORGET_FLUSHES"));
    int result = is_forgotten ? 0 : (int)syscall(call, descriptor);
    if (result == 0 && ends_with(descriptor, "/captures.sqlite-wal")) note_flush(began);
    return result;
}

int fsync(int descriptor) { return flush(SYS_fsync, descriptor); }

int fdatasync(int descriptor) { return flush(SYS_fdatasync, descriptor); }
