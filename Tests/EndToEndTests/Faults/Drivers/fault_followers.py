#!/usr/bin/env python3
"""F35: --count followers that never read, while exchange 1 is annotated until the daemon has dropped them.

Prints for all of them how many were `dropped` and how many octets waited for each when it was (`waited`,
the least and the most, without what the kernel held), and what the daemon grew by while they did, in KiB:
`grown_kib` at its highest, `left_kib` once they are gone. A follower that reads gets all the news, `told` of them.
"""
import json
import select
import socket

import fault_kit as kit

# The longest number there is: the longer the news, the fewer are needed.
NUMBER = 2**63 - 1
BATCH = 64
OCTETS_MAX = 32 << 20


class Control:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.rest = b""

    def send(self, *commands):
        self.socket.sendall(b"".join(json.dumps({"id": NUMBER, "command": command}).encode() + b"\n" for command in commands))

    def lines(self, count):
        octets = self.rest
        while octets.count(b"\n") < count:
            octets += self.socket.recv(1 << 20)
        *lines, self.rest = octets.split(b"\n")
        assert len(lines) == count and not self.rest, lines[-1]
        return lines

    def subscribe(self):
        self.send({"subscribe": {}})
        self.lines(1)
        return self


class Followers:
    def __init__(self):
        self.options = kit.options(__doc__, ("--count", 20))
        self.path = self.options.data + "/control.sock"
        self.control, self.reader = Control(self.path), Control(self.path).subscribe()
        self.told = self.told_octets = 0

    def tell(self):
        """A batch of news; both they and the answers have come when it returns."""
        change = {"exchangeID": 1, "note": str(self.told), "addedTags": [], "removedTags": []}
        self.control.send(*[{"annotate": {"change": change}}] * BATCH)
        assert all(b"affected" in line for line in self.control.lines(BATCH))
        news = self.reader.lines(BATCH)
        assert all(b"changed" in line for line in news)
        self.told += BATCH
        self.told_octets += sum(len(line) + 1 for line in news)

    def run(self):
        for _ in range(40):
            self.tell()
        before = peak = kit.resident_kib(self.options.pid)
        silent = [Control(self.path).subscribe() for _ in range(self.options.count)]
        start, ends = self.told_octets, {}
        watched = select.poll()
        for follower in silent:
            watched.register(follower.socket, 0)
        while len(ends) < len(silent) and self.told_octets - start < OCTETS_MAX:
            self.tell()
            for descriptor, _ in watched.poll(0):
                watched.unregister(descriptor)
                ends[descriptor] = self.told_octets - start
            peak = max(peak, kit.resident_kib(self.options.pid))
        waited = [ends[follower.socket.fileno()] - self.taken(follower) for follower in silent if follower.socket.fileno() in ends]
        kit.until(lambda: kit.resident_kib(self.options.pid) - before < (peak - before) // 4, 15)
        return {"followers": len(silent), "dropped": len(ends), "waited": [min(waited, default=0), max(waited, default=0)],
                "told": self.told, "grown_kib": peak - before, "left_kib": kit.resident_kib(self.options.pid) - before}

    @staticmethod
    def taken(follower):
        """What the kernel held for it."""
        count = 0
        try:
            while octets := follower.socket.recv(1 << 20):
                count += len(octets)
        except ConnectionResetError:
            pass
        return count


kit.finish(Followers().run())
