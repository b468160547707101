"""A program in a pseudo-terminal: keys go in, and what it shows is read with the time of its
arrival and interpreted afterwards, so that interpreting it costs nothing. Needs the terminal
emulator pyte (Debian's python3-pyte).
"""
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte

COLUMNS, LINES = 120, 40
# Nothing more comes when nothing has come for so long.
QUIET_SECONDS = 0.7
ECHO_QUIET_SECONDS = 0.15
PATIENCE_SECONDS = 120.0
# The help is a box with this title: any screen opens it at once, and Escape closes it.
HELP_KEY, HELP_TITLE = "?", " Keys "
ESCAPE = "\x1b"
CANCEL = "\x07"


class Program:
    """A program in a pseudo-terminal; `screen` is what it shows."""

    def __init__(self, arguments):
        self.screen = pyte.Screen(COLUMNS, LINES)
        self.stream = pyte.ByteStream(self.screen)
        self.started = time.monotonic()
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            # pyte understands no more than the console does: it neither scrolls nor repeats by
            # number, as xterm's description promises.
            os.environ.update(TERM="linux", LANG="C.UTF-8")
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
            for moment, octets in self.read_until_quiet(QUIET_SECONDS):
                self.stream.feed(octets)
                history.append((moment, self.screen.display[area]))
            if is_there(self.screen.display):
                break
        else:
            self.give_up()
        final = self.screen.display[area]
        settled = since
        for moment, lines in reversed(history):
            if lines != final:
                break
            settled = moment
        return (settled - since) * 1000

    def appears(self, since, is_there):
        """Milliseconds from `since` until the screen is as wanted, whatever comes after that."""
        while time.monotonic() - since < PATIENCE_SECONDS:
            if select.select([self.terminal], [], [], QUIET_SECONDS)[0]:
                octets = self.read()
                moment = time.monotonic()
                self.stream.feed(octets)
                if is_there(self.screen.display):
                    return (moment - since) * 1000
        return self.give_up()

    def blocked(self, keys):
        """Milliseconds for which keys leave the next one unanswered: help is asked for right
        behind them."""
        pressed = self.press(keys + HELP_KEY)
        spent = self.appears(pressed, lambda lines: any(HELP_TITLE in line for line in lines))
        closed = self.press(ESCAPE)
        self.appears(closed, lambda lines: not any(HELP_TITLE in line for line in lines))
        self.read_and_show()
        return spent

    def give_up(self):
        self.end()
        raise SystemExit("this did not come:\n" + "\n".join(self.screen.display))

    def read(self):
        try:
            return os.read(self.terminal, 1 << 16)
        except OSError:
            raise SystemExit("the program ended") from None

    def read_until_quiet(self, quiet_seconds):
        """What comes until nothing has come for a while, with the time of its arrival; a program
        that never falls quiet is read for as long as anybody waits."""
        pieces = []
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            if not select.select([self.terminal], [], [], quiet_seconds)[0]:
                break
            octets = self.read()
            pieces.append((time.monotonic(), octets))
        return pieces

    def read_and_show(self):
        """Takes what typing brings onto the screen."""
        for _, octets in self.read_until_quiet(ECHO_QUIET_SECONDS):
            self.stream.feed(octets)

    def resident_mebibytes(self):
        """Memory that is its own: pages of the files it reads are the system's."""
        sizes = {}
        with open(f"/proc/{self.process}/status", encoding="ascii") as status:
            for line in status:
                name, _, value = line.partition(":")
                if name.startswith("Rss") or name == "VmRSS" or name == "VmHWM":
                    sizes[name] = int(value.split()[0]) / 1024
        return sizes

    def processor_milliseconds(self):
        with open(f"/proc/{self.process}/stat", encoding="ascii") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def end(self):
        os.kill(self.process, signal.SIGTERM)
        os.waitpid(self.process, 0)


def report(name, spent, goal, unit="ms"):
    mark = "" if spent <= goal else "  MISSED"
    print(f"{name:44} {spent:8.1f} {unit} (goal {goal}){mark}", flush=True)
