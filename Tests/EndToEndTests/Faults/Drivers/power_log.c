// Writes down, octet for octet and in order, what a program does to its files: what it writes, cuts
// and flushes, and which names it makes and removes. power_states.py makes of it what a power failure
// could have left. Loaded before the C library (LD_PRELOAD); POWER_LOG names the file written,
// POWER_LOG_ROOT the folder that is watched.
//
// One lock is held from before each call until it is written down, so that the order is the one that
// the kernel saw. Calls go straight to the kernel: malloc opens files before other libraries can be
// asked for theirs.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { WRITE = 1, CUT, FLUSH, FLUSH_FOLDER, MAKE, REMOVE, RENAME };

// Little-endian; then so many octets of the name (below the root), and of the data: what was written,
// or another name.
struct record {
    uint32_t magic, kind;
    uint64_t began_ns, ended_ns, inode, offset;
    uint32_t name_length, data_length;
};

struct place {
    char path[PATH_MAX + NAME_MAX + 2];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_descriptor = -1;
static char root[PATH_MAX];
static size_t root_length;

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("POWER_LOG"), *folder = getenv("POWER_LOG_ROOT");
    if (!file || !folder || !realpath(folder, root)) return;
    root_length = strlen(root);
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    log_descriptor = (int)syscall(SYS_openat, AT_FDCWD, file, flags, 0600);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// The part of a path below the root; NULL for one that is elsewhere.
static const char *below(const char *path) {
    if (strncmp(path, root, root_length) != 0 || path[root_length] != '/') return NULL;
    return path + root_length + 1;
}

static void say(enum kind kind, uint64_t began, uint64_t inode, int64_t offset, const char *name,
                const void *data, size_t length) {
    struct record record = {
        .magic = 0x72776f70, .kind = kind, .began_ns = began, .ended_ns = now(), .inode = inode,
        .offset = (uint64_t)offset, .name_length = (uint32_t)strlen(name),
        .data_length = (uint32_t)length,
    };
    struct iovec parts[] = {
        {&record, sizeof record}, {(void *)name, record.name_length}, {(void *)data, length},
    };
    ssize_t wanted = (ssize_t)(sizeof record + record.name_length + length);
    // A log with a hole would make wrong states.
    if (syscall(SYS_writev, log_descriptor, parts, 3) != wanted) abort();
}

// The name of what a descriptor has open, below the root; NULL for what is elsewhere.
static const char *opened(int descriptor, struct place *place) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, place->path, PATH_MAX);
    if (length < 0) return NULL;
    place->path[length] = 0;
    return below(place->path);
}

// The name that a path means, its folder's links followed; NULL for one elsewhere.
static const char *named(int folder, const char *path, struct place *place) {
    char copy[PATH_MAX];
    if (log_descriptor < 0 || strlen(path) >= sizeof copy) return NULL;
    strcpy(copy, path);
    char *slash = strrchr(copy, '/');
    const char *last = slash ? slash + 1 : copy, *parent = slash == copy ? "/" : slash ? copy : ".";
    if (slash) *slash = 0;
    int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    int descriptor = (int)syscall(SYS_openat, folder, parent, flags, 0);
    if (descriptor < 0) return NULL;
    const char *found = opened(descriptor, place);
    syscall(SYS_close, descriptor);
    // The root itself has no name below it.
    if (!found && strcmp(place->path, root) != 0) return NULL;
    size_t length = strlen(place->path);
    snprintf(place->path + length, sizeof place->path - length, "/%s", last);
    return below(place->path);
}

// A regular file below the root: its number, and its length before the call.
static const char *watched(int descriptor, struct place *place, struct stat *status) {
    if (log_descriptor < 0 || fstat(descriptor, status) != 0 || !S_ISREG(status->st_mode)) return NULL;
    return opened(descriptor, place);
}

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    struct place place;
    const char *name = flags & (O_CREAT | O_TRUNC) ? named(folder, path, &place) : NULL;
    if (!name) return (int)syscall(SYS_openat, folder, path, flags, mode);
    pthread_mutex_lock(&lock);
    uint64_t began = now();
    struct stat status;
    int existed = fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
    int descriptor = (int)syscall(SYS_openat, folder, path, flags, mode);
    int problem = errno;
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        if (!existed) say(MAKE, began, status.st_ino, 0, name, NULL, 0);
        else if (flags & O_TRUNC) say(CUT, began, status.st_ino, 0, name, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    errno = problem;
    return descriptor;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
    }

int open(const char *path, int flags, ...) {
    MODE(flags);
    return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE(flags);
    return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
    MODE(flags);
    return open_at(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags);
    return open_at(folder, path, flags, mode);
}

// `offset` is -1 where the file's own position counts.
static ssize_t put(int descriptor, const void *octets, size_t length, off_t offset) {
    struct place place;
    struct stat status;
    const char *name = watched(descriptor, &place, &status);
    if (!name && offset < 0) return syscall(SYS_write, descriptor, octets, length);
    if (!name) return syscall(SYS_pwrite64, descriptor, octets, length, offset);
    pthread_mutex_lock(&lock);
    uint64_t began = now();
    ssize_t done;
    if (offset < 0) {
        done = syscall(SYS_write, descriptor, octets, length);
        offset = lseek(descriptor, 0, SEEK_CUR) - (done > 0 ? done : 0);
    } else {
        done = syscall(SYS_pwrite64, descriptor, octets, length, offset);
    }
    int problem = errno;
    if (done > 0) say(WRITE, began, status.st_ino, offset, name, octets, (size_t)done);
    pthread_mutex_unlock(&lock);
    errno = problem;
    return done;
}

ssize_t write(int descriptor, const void *octets, size_t length) {
    return put(descriptor, octets, length, -1);
}
ssize_t pwrite(int descriptor, const void *octets, size_t length, off_t offset) {
    return put(descriptor, octets, length, offset);
}
ssize_t pwrite64(int descriptor, const void *octets, size_t length, off64_t offset) {
    return put(descriptor, octets, length, offset);
}

int ftruncate(int descriptor, off_t length) {
    struct place place;
    struct stat status;
    const char *name = watched(descriptor, &place, &status);
    if (!name) return (int)syscall(SYS_ftruncate, descriptor, length);
    pthread_mutex_lock(&lock);
    uint64_t began = now();
    int result = (int)syscall(SYS_ftruncate, descriptor, length), problem = errno;
    if (result == 0) say(CUT, began, status.st_ino, length, name, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = problem;
    return result;
}
int ftruncate64(int descriptor, off64_t length) { return ftruncate(descriptor, length); }

static int flush(int descriptor, long call) {
    struct place place;
    struct stat status;
    const char *name = NULL;
    if (log_descriptor >= 0 && fstat(descriptor, &status) == 0) name = opened(descriptor, &place);
    if (!name) return (int)syscall(call, descriptor);
    pthread_mutex_lock(&lock);
    uint64_t began = now();
    int result = (int)syscall(call, descriptor), problem = errno;
    enum kind kind = S_ISDIR(status.st_mode) ? FLUSH_FOLDER : FLUSH;
    if (result == 0) say(kind, began, status.st_ino, 0, name, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = problem;
    return result;
}

int fsync(int descriptor) { return flush(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return flush(descriptor, SYS_fdatasync); }

static int remove_at(int folder, const char *path, int flags) {
    struct place place;
    const char *name = flags & AT_REMOVEDIR ? NULL : named(folder, path, &place);
    if (!name) return (int)syscall(SYS_unlinkat, folder, path, flags);
    pthread_mutex_lock(&lock);
    uint64_t began = now();
    int result = (int)syscall(SYS_unlinkat, folder, path, flags), problem = errno;
    if (result == 0) say(REMOVE, began, 0, 0, name, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = problem;
    return result;
}

int unlink(const char *path) { return remove_at(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { return remove_at(folder, path, flags); }

static int rename_at(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    struct place old, new;
    const char *old_name = named(from_folder, from, &old), *new_name = named(to_folder, to, &new);
    if (!old_name || !new_name) return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    pthread_mutex_lock(&lock);
    uint64_t began = now();
    int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags), problem = errno;
    if (result == 0) say(RENAME, began, 0, 0, old_name, new_name, strlen(new_name));
    pthread_mutex_unlock(&lock);
    errno = problem;
    return result;
}

int rename(const char *from, const char *to) { return rename_at(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return rename_at(from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    return rename_at(from_folder, from, to_folder, to, flags);
}

static int link_at(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    struct place place;
    const char *name = named(to_folder, to, &place);
    if (!name) return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
    pthread_mutex_lock(&lock);
    uint64_t began = now();
    struct stat status;
    int result = (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags), problem = errno;
    if (result == 0 && fstatat(to_folder, to, &status, AT_SYMLINK_NOFOLLOW) == 0)
        say(MAKE, began, status.st_ino, 0, name, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = problem;
    return result;
}

int link(const char *from, const char *to) { return link_at(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    return link_at(from_folder, from, to_folder, to, flags);
}
