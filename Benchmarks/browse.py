#!/usr/bin/env python3
"""How long `proxyctl` takes to show things of a store: keys typed into a pseudo-terminal, and the
time until the list on the screen is what it stays.

    browse.py PROXYCTL DATA_DIRECTORY

Prints milliseconds (wall clock) for each step beside its goal, and the resident memory at the end.
Output is read with the time of its arrival and interpreted afterwards, so that interpreting it
costs nothing. Needs the terminal emulator pyte (Debian's python3-pyte).
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

import pyte

COLUMNS, LINES = 120, 40
QUIET_SECONDS = 0.7
PATIENCE_SECONDS = 60.0


class Program:
    """proxyctl in a pseudo-terminal; `screen` is what it shows."""

    def __init__(self, arguments):
        self.screen = pyte.Screen(COLUMNS, LINES)
        self.stream = pyte.ByteStream(self.screen)
        self.started = time.monotonic()
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="xterm-256color", LANG="C.UTF-8")
            os.execv(arguments[0], arguments)
        size = struct.pack("HHHH", LINES, COLUMNS, 0, 0)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)

    def press(self, keys):
        """Types keys; says when."""
        os.write(self.terminal, keys.encode())
        return time.monotonic()

    def settle(self, since, area, is_there=lambda lines: True):
        """Milliseconds from `since` until `area` of the screen was what it stays."""
        history = [(since, None)]
        while time.monotonic() - since < PATIENCE_SECONDS:
            for moment, octets in self.read_until_quiet():
                self.stream.feed(octets)
                history.append((moment, self.screen.display[area]))
            if is_there(self.screen.display):
                break
        else:
            raise SystemExit("this did not come:\n" + "\n".join(self.screen.display))
        final = self.screen.display[area]
        settled = since
        for moment, lines in reversed(history):
            if lines != final:
                break
            settled = moment
        return (settled - since) * 1000

    def read_until_quiet(self):
        """What comes until nothing has come for a while, with the time of its arrival."""
        pieces = []
        while select.select([self.terminal], [], [], QUIET_SECONDS)[0]:
            try:
                pieces.append((time.monotonic(), os.read(self.terminal, 1 << 16)))
            except OSError:
                raise SystemExit("proxyctl ended") from None
        return pieces

    def read_and_show(self):
        """Takes what typing brings onto the screen."""
        for _, octets in self.read_until_quiet():
            self.stream.feed(octets)

    def resident_mebibytes(self):
        with open(f"/proc/{self.process}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
        return 0.0

    def end(self):
        os.kill(self.process, signal.SIGTERM)
        os.waitpid(self.process, 0)


LIST = slice(1, LINES - 3)
# The count of what matches and the state of the index are told meanwhile, below the list.
STEPS = [
    # (name, keys, goal in ms, what must be on the screen at last)
    ("page down at the beginning", "gg\x06", 30, None),
    ("last page", "G", 30, None),
    ("page up from the end", "\x02", 30, None),
    ("status>=500 host:api", "/status>=500 host:api\r", 100, "50"),
    ("page down in it", "\x06", 30, "50"),
    ("substring of a URL", "\x15/url:v2/invoices/7\r", 300, "/v2/invoices/7"),
    ("substring in bodies", "\x15/body:violin\r", 1000, "example.com"),
    ("no filter", "\x15", 150, "example.com"),
]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program = Program([sys.argv[1], "--data-dir", sys.argv[2]])
    first = program.settle(
        program.started, LIST, lambda lines: any("example.com" in line for line in lines))
    report("first screen", first, 150)
    for name, keys, goal, text in STEPS:
        # The last key is the one that is answered; those before it are typing.
        for key in keys[:-1]:
            program.press(key)
            program.read_and_show()
        pressed = program.press(keys[-1])
        spent = program.settle(
            pressed, LIST, lambda lines: text is None or any(text in line for line in lines))
        report(name, spent, goal)
    print(f"{'resident memory':34} {program.resident_mebibytes():8.1f} MiB (goal 80)")
    program.end()


def report(name, spent, goal):
    print(f"{name:34} {spent:8.1f} ms (goal {goal})")


main()
