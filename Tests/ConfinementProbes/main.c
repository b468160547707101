// probes list
// probes run SECRET OUTSIDE OWN SCRATCH SOCKETS OTHER WATCHER PARENT
// probes surround FOLDER
// probes take OWN-MIB COUNT EACH-MIB
// probes bomb
// probes hold-shared|hold-growing|hold-tables MIB
#include "probes.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

struct surroundings around;

static const struct probe *const negative[] = {
    file_probes, process_probes, socket_probes, kernel_probes,
};

static void list(const char *kind, const struct probe *probes) {
    for (; probes->name != NULL; probes++) {
        printf("%s %s %s\n", kind, probes->may_fail_anyway ? "perhaps" : "always", probes->name);
    }
}

// Prints what came of a probe: `through`, the name of an error, or a signal.
static void run(const struct probe *probes) {
    for (; probes->name != NULL; probes++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            alarm(10);
            errno = 0;
            long outcome = probes->run();
            // The status of a process has a byte.
            _exit(outcome >= 0 ? 0 : errno > 0 && errno < 200 ? errno : 200);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) < 0) {
            printf("%s cannot be tried\n", probes->name);
        } else if (WIFSIGNALED(status)) {
            printf("%s signal-%d\n", probes->name, WTERMSIG(status));
        } else if (WEXITSTATUS(status) == 0) {
            printf("%s through\n", probes->name);
        } else {
            printf("%s %s\n", probes->name, strerrorname_np(WEXITSTATUS(status)));
        }
    }
}

static int listen_at(const char *path, int type) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, type, 0);
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    return type == SOCK_DGRAM ? 0 : listen(listener, 5);
}

// Has sockets and is another process, which says its number, until its input ends.
static int surround(const char *folder) {
    char byte;
    if (listen_at(in(folder, "datagram"), SOCK_DGRAM) != 0) return 1;
    if (listen_at(in(folder, "stream"), SOCK_STREAM) != 0) return 1;
    // Without this, some systems let only parents examine a process.
    (void)prctl(0x59616d61, -1L, 0, 0, 0);
    printf("%d\n", getpid());
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0) {}
    return 0;
}

// Uses memory; false where it gets none.
static int use(size_t mebibytes) {
    size_t size = mebibytes << 20;
    char *memory = malloc(size + 1);
    if (memory == NULL) return 0;
    for (size_t offset = 0; offset <= size; offset += 1024) ((volatile char *)memory)[offset] = 1;
    return 1;
}

// Takes memory itself, which its children share, and has children that take more. Then says its
// parent's number and waits. Where it gets no memory, or no child, it ends with status 3.
static int take(size_t own, int children, size_t each) {
    int ready[2];
    char byte = 0;
    if (!use(own) || pipe(ready) != 0) return 3;
    for (int child = 0; child < children; child++) {
        pid_t number = fork();
        if (number < 0) return 3;
        if (number > 0) continue;
        if (!use(each) || write(ready[1], &byte, 1) != 1) _exit(3);
        for (;;) pause();
    }
    for (int child = 0; child < children; child++) {
        if (read(ready[0], &byte, 1) != 1) return 3;
    }
    printf("%d\n", getppid());
    fflush(stdout);
    for (;;) pause();
}

static enum { shared, growing, tables } held;

// Takes memory that no limit of a process sees, in a thread that outlives the main one, and waits.
static void *hold(void *kind) {
    size_t size = *(size_t *)kind << 20;
    char *memory = MAP_FAILED;
    if (held == shared) {
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    } else if (held == growing) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_NORESERVE;
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    } else {
        // A page table of 4 KiB for each 2 MiB.
        size <<= 9;
        memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) (void)madvise(memory, size, MADV_NOHUGEPAGE);
    }
    if (memory == MAP_FAILED) _exit(3);
    size_t step = held == tables ? 2 << 20 : 1024;
    for (size_t offset = 0; offset < size; offset += step) {
        if (held == tables) (void)((volatile char *)memory)[offset];
        else ((volatile char *)memory)[offset] = 1;
    }
    for (;;) pause();
}

static int hold_in_thread(const char *kind, size_t mebibytes) {
    static size_t size;
    pthread_t thread;
    size = mebibytes;
    held = strcmp(kind, "hold-shared") == 0 ? shared
        : strcmp(kind, "hold-growing") == 0 ? growing : tables;
    if (pthread_create(&thread, NULL, hold, &size) != 0) return 3;
    pthread_exit(NULL);
}

// Starts processes that do the same, for three seconds.
static int bomb(void) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        (void)fork();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - start.tv_sec < 3);
    return 0;
}

int main(int count, char **words) {
    size_t kinds = sizeof negative / sizeof *negative;
    if (count == 2 && strcmp(words[1], "list") == 0) {
        for (size_t kind = 0; kind < kinds; kind++) list("may-not", negative[kind]);
        list("may", positive_probes);
        return 0;
    }
    if (count == 3 && strcmp(words[1], "surround") == 0) return surround(words[2]);
    if (count == 2 && strcmp(words[1], "bomb") == 0) return bomb();
    if (count == 3 && strncmp(words[1], "hold-", 5) == 0) {
        return hold_in_thread(words[1], (size_t)atoi(words[2]));
    }
    if (count == 5 && strcmp(words[1], "take") == 0) {
        return take((size_t)atoi(words[2]), atoi(words[3]), (size_t)atoi(words[4]));
    }
    if (count != 10 || strcmp(words[1], "run") != 0) return 64;
    around = (struct surroundings){
        words[2], words[3], words[4], words[5], words[6],
        atoi(words[7]), atoi(words[8]), atoi(words[9]),
    };
    // 0: those of this process.
    if (around.watcher == 0) around.watcher = getppid();
    for (size_t kind = 0; kind < kinds; kind++) run(negative[kind]);
    run(positive_probes);
    return 0;
}
