// Files: those that are out of reach, and what may not be done to those within it.
#include "probes.h"
#include <dirent.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

static long reads(const char *path) {
    char byte;
    int file = open(path, O_RDONLY);
    return file < 0 ? -1 : read(file, &byte, 1);
}

static long makes(const char *path) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600); }

static long lists(const char *path) { return opendir(path) == NULL ? -1 : 0; }

static const char *other_file(const char *name) {
    char *path = malloc(64);
    sprintf(path, "/proc/%d/%s", around.other, name);
    return path;
}

static long read_secret(void) { return reads(around.secret); }
static long map_secret(void) {
    int file = open(around.secret, O_RDONLY);
    if (file < 0) return -1;
    return mmap(NULL, 1, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED ? -1 : 0;
}
static long write_secret(void) { return open(around.secret, O_WRONLY); }
static long read_secret_by_link(void) {
    const char *link = in(around.scratch, "link");
    if (symlink(around.secret, link) != 0 && errno != EEXIST) return -1;
    return reads(link);
}
static long link_secret(void) {
    const char *path = in(around.scratch, "hard");
    (void)unlink(path);
    return link(around.secret, path) == 0 ? reads(path) : -1;
}
static long move_secret(void) { return truncate(around.secret, 6); }
static long read_secret_by_root(void) {
    char path[4096];
    snprintf(path, sizeof path, "/proc/self/root%s", around.secret);
    return reads(path);
}
static long read_outside(void) { return reads(in(around.outside, "file")); }
static long list_outside(void) { return lists(around.outside); }
static long make_outside(void) { return makes(in(around.outside, "new")); }
static long make_folder_outside(void) {
    const char *path = in(around.outside, "folder");
    (void)rmdir(path);
    return mkdir(path, 0700);
}
static long run_outside(void) { return execl(in(around.outside, "program"), "x", (char *)NULL); }
static long write_own(void) { return open(in(around.own, "file"), O_WRONLY); }
static long shorten_own(void) { return truncate(in(around.own, "file"), 7); }
static long make_own(void) { return makes(in(around.own, "new")); }
static long remove_own(void) {
    // Made by the test for the run without confinement.
    return unlink(in(around.own, "spare"));
}
static long move_own(void) {
    return rename(in(around.own, "spare-2"), in(around.scratch, "moved"));
}
static long write_temporary(void) {
    const char *path = "/tmp/proxyd-probe";
    return makes(path) < 0 ? -1 : unlink(path);
}
static long write_shared_memory(void) {
    const char *path = "/dev/shm/proxyd-probe";
    return makes(path) < 0 ? -1 : unlink(path);
}
static long list_root(void) { return lists("/"); }
static long list_processes(void) { return lists("/proc"); }
static long read_own_environment(void) { return reads("/proc/self/environ"); }
static long open_own_memory(void) { return open("/proc/self/mem", O_RDWR); }
static long read_other_environment(void) { return reads(other_file("environ")); }
static long open_other_memory(void) { return open(other_file("mem"), O_RDWR); }
static long list_other_descriptors(void) { return lists(other_file("fd")); }
static long read_mounts(void) { return reads("/proc/self/mountinfo"); }
static long read_system_settings(void) { return reads("/proc/sys/kernel/ostype"); }
static long read_devices(void) { return lists("/sys"); }
static long open_terminals(void) { return open("/dev/ptmx", O_RDWR | O_NOCTTY); }
static long make_device(void) {
    return mknod(in(around.scratch, "null"), S_IFCHR | 0600, (1 << 8) | 3);
}
static long open_by_handle(void) {
    struct { unsigned bytes; int type; unsigned char handle[128]; } handle = {128, 0, {0}};
    int mount = 0;
    if (syscall(SYS_name_to_handle_at, AT_FDCWD, around.secret, &handle, &mount, 0) != 0) return -1;
    int folder = open("/", O_RDONLY | O_DIRECTORY);
    return syscall(SYS_open_by_handle_at, folder, &handle, O_RDONLY);
}
static long name_handle(void) {
    struct { unsigned bytes; int type; unsigned char handle[128]; } handle = {128, 0, {0}};
    int mount = 0;
    return syscall(
        SYS_name_to_handle_at, AT_FDCWD, in(around.own, "file"), &handle, &mount, 0);
}

static long change_mode(void) { return chmod(new_path("mode"), 0777); }
static long change_open_mode(void) { return fchmod(new_file("mode"), 0777); }
static long change_mode_at(void) { return fchmodat(AT_FDCWD, new_path("mode"), 0777, 0); }
static long change_mode_at_2(void) {
    return syscall(NR_fchmodat2, AT_FDCWD, new_path("mode"), 0777, 0);
}
static long change_own_mode(void) { return chmod(in(around.own, "file"), 0666); }
static long change_owner(void) { return chown(new_path("owner"), getuid(), getgid()); }
static long change_open_owner(void) { return fchown(new_file("owner"), getuid(), getgid()); }
static long change_link_owner(void) { return lchown(new_path("owner"), getuid(), getgid()); }
static long change_owner_at(void) {
    return fchownat(AT_FDCWD, new_path("owner"), getuid(), getgid(), 0);
}
static long change_times(void) { return utimensat(AT_FDCWD, new_path("times"), NULL, 0); }
static long change_open_times(void) { return futimens(new_file("times"), NULL); }
static long change_own_times(void) {
    return utimensat(AT_FDCWD, in(around.own, "file"), NULL, 0);
}
static long set_attribute(void) { return setxattr(new_path("a"), "user.a", "b", 1, 0); }
static long set_open_attribute(void) { return fsetxattr(new_file("a"), "user.a", "b", 1, 0); }
static long set_link_attribute(void) { return lsetxattr(new_path("a"), "user.a", "b", 1, 0); }
static long remove_attribute(void) {
    const char *path = new_path("a");
    (void)setxattr(path, "user.b", "b", 1, 0);
    return removexattr(path, "user.b");
}
#ifdef __x86_64__
static long change_times_utime(void) { return syscall(SYS_utime, new_path("times"), NULL); }
static long change_times_utimes(void) { return syscall(SYS_utimes, new_path("times"), NULL); }
static long change_times_futimesat(void) {
    return syscall(SYS_futimesat, AT_FDCWD, new_path("times"), NULL);
}
#endif

const struct probe file_probes[] = {
    {"read a secret", read_secret, 0},
    {"map a secret", map_secret, 0},
    {"write a secret", write_secret, 0},
    {"shorten a secret", move_secret, 0},
    {"read a secret by a symbolic link", read_secret_by_link, 0},
    {"read a secret by a hard link", link_secret, 1},
    {"read a secret by /proc/self/root", read_secret_by_root, 0},
    {"read a file outside", read_outside, 0},
    {"list a folder outside", list_outside, 0},
    {"make a file outside", make_outside, 0},
    {"make a folder outside", make_folder_outside, 0},
    {"run a program outside", run_outside, 0},
    {"write to its folder", write_own, 0},
    {"shorten a file of its folder", shorten_own, 0},
    {"make a file in its folder", make_own, 0},
    {"remove a file of its folder", remove_own, 0},
    {"move a file out of its folder", move_own, 0},
    {"write to /tmp", write_temporary, 0},
    {"write to /dev/shm", write_shared_memory, 1},
    {"list the root", list_root, 0},
    {"list /proc", list_processes, 0},
    {"list /sys", read_devices, 1},
    {"read its own environment in /proc", read_own_environment, 0},
    {"open its own memory in /proc", open_own_memory, 0},
    {"read the environment of another process", read_other_environment, 1},
    {"open the memory of another process", open_other_memory, 1},
    {"list the descriptors of another process", list_other_descriptors, 1},
    {"read the table of mounts", read_mounts, 0},
    {"read settings of the kernel", read_system_settings, 1},
    {"open a new terminal", open_terminals, 1},
    {"make a device", make_device, 1},
    {"open a file by its handle", open_by_handle, 1},
    {"name a file by its handle", name_handle, 1},
    {"change a mode", change_mode, 0},
    {"change the mode of an open file", change_open_mode, 0},
    {"change a mode (fchmodat)", change_mode_at, 0},
    {"change a mode (fchmodat2)", change_mode_at_2, 1},
    {"change a mode in its folder", change_own_mode, 0},
    {"change an owner", change_owner, 0},
    {"change the owner of an open file", change_open_owner, 0},
    {"change the owner of a link", change_link_owner, 0},
    {"change an owner (fchownat)", change_owner_at, 0},
    {"change times", change_times, 0},
    {"change the times of an open file", change_open_times, 0},
    {"change times in its folder", change_own_times, 0},
    {"set an attribute", set_attribute, 1},
    {"set an attribute of an open file", set_open_attribute, 1},
    {"set an attribute of a link", set_link_attribute, 1},
    {"remove an attribute", remove_attribute, 1},
#ifdef __x86_64__
    {"change times (utime)", change_times_utime, 0},
    {"change times (utimes)", change_times_utimes, 0},
    {"change times (futimesat)", change_times_futimesat, 0},
#endif
    {NULL, NULL, 0},
};
