"""Becomes a command with the restrictions of systemd/proxyd.service, as far as bubblewrap can make
them: nothing may be written but DIRECTORY, no privileges and none to be had, only the address
families that the unit names, none of the system calls it refuses, no memory that can be written
and run. For x86-64.

sandbox.py UNIT DIRECTORY COMMAND...
"""

import os
import re
import socket
import struct
import sys
import tempfile

unit, directory, command = sys.argv[1], sys.argv[2], sys.argv[3:]

# Of @privileged and @resources (systemd-analyze syscall-filter), by their x86-64 numbers; what
# bubblewrap itself still needs is left out, and has been dropped with the capabilities.
REFUSED = {
    "acct": 163, "bpf": 321, "chroot": 161, "chown": 92, "clock_settime": 227,
    "delete_module": 176, "fanotify_init": 300, "init_module": 175, "finit_module": 313,
    "kexec_load": 246, "mount": 165, "nfsservctl": 180, "open_by_handle_at": 304,
    "pivot_root": 155, "quotactl": 179, "reboot": 169, "setdomainname": 171, "setgid": 106,
    "setgroups": 116, "sethostname": 170, "setresgid": 119, "setresuid": 117, "setreuid": 113,
    "settimeofday": 164, "setuid": 105, "swapoff": 168, "swapon": 167, "umount2": 166,
    "vhangup": 153, "ioprio_set": 251, "mbind": 237, "migrate_pages": 256, "move_pages": 279,
    "sched_setaffinity": 203, "sched_setattr": 314, "sched_setparam": 142,
    "sched_setscheduler": 144, "set_mempolicy": 238, "setpriority": 141, "setrlimit": 160,
    "ptrace": 101, "unshare": 272, "setns": 308, "personality": 135,
}
SOCKET, MMAP, MPROTECT = 41, 9, 10
EPERM, EAFNOSUPPORT = 1, 97
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
AUDIT_ARCH_X86_64 = 0xC000003E
WRITE_AND_EXECUTE, EXECUTE = 6, 4
# Where seccomp_data keeps what (linux/seccomp.h): the low halves of arguments.
NUMBER, ARCHITECTURE, FIRST, THIRD = 0, 4, 16, 32


def load(offset):
    return struct.pack("HBBI", 0x20, 0, 0, offset)


def mask(bits):
    return struct.pack("HBBI", 0x54, 0, 0, bits)


def unless_equal(value, skipped):
    return struct.pack("HBBI", 0x15, 0, skipped, value)


def if_equal(value, skipped):
    return struct.pack("HBBI", 0x15, skipped, 0, value)


def answer(value):
    return struct.pack("HBBI", 0x06, 0, 0, value)


def families():
    with open(unit, encoding="utf-8") as file:
        names = re.search(r"^RestrictAddressFamilies=(.*)$", file.read(), re.M).group(1)
    return [int(getattr(socket, name)) for name in names.split()]


def program():
    code = [load(ARCHITECTURE), if_equal(AUDIT_ARCH_X86_64, 1), answer(KILL)]
    for number in REFUSED.values():
        code += [load(NUMBER), unless_equal(number, 1), answer(ERRNO | EPERM)]
    allowed = families()
    code += [load(NUMBER), unless_equal(SOCKET, len(allowed) + 2), load(FIRST)]
    code += [if_equal(family, len(allowed) - place) for place, family in enumerate(allowed)]
    code += [answer(ERRNO | EAFNOSUPPORT)]
    for number, bits in ((MMAP, WRITE_AND_EXECUTE), (MPROTECT, EXECUTE)):
        code += [load(NUMBER), unless_equal(number, 4), load(THIRD), mask(bits)]
        code += [unless_equal(bits, 1), answer(ERRNO | EPERM)]
    return b"".join(code + [answer(ALLOW)])


filter_file = tempfile.TemporaryFile()
filter_file.write(program())
filter_file.seek(0)
descriptor = os.dup(filter_file.fileno())
os.set_inheritable(descriptor, True)
arguments = ["bwrap", "--die-with-parent", "--unshare-ipc", "--unshare-uts"]
arguments += ["--unshare-cgroup-try", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
# A program that was built in a home directory would be gone with it.
for home in ("/home", "/root"):
    if not os.path.realpath(command[0]).startswith(home + "/"):
        arguments += ["--tmpfs", home]
arguments += ["--bind", directory, directory]
arguments += ["--cap-drop", "ALL", "--seccomp", str(descriptor)]
os.execvp("bwrap", arguments + command)
