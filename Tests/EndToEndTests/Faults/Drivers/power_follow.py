#!/usr/bin/env python3
"""F4: notes when a daemon said that it had stored what.

    power_follow.py SOCKET LOG [--always]

Follows until its standard input ends, then waits until what was told last is safe: the store's log flushed
since it was written; with --always it was safe when it was told.

Prints "following", and in the end one line of JSON: `told`, number → nanoseconds of the monotonic clock
at which the last news of it came; `safe`, whether that flush came.
"""
import bisect
import json
import os
import select
import socket
import sys
import time

import power_log

PATIENCE_S = 60


def follow(client):
    told, rest = {}, b""
    while True:
        ready, _, _ = select.select([client, sys.stdin], [], [])
        if client in ready:
            octets = client.recv(1 << 20)
            now = time.monotonic_ns()
            *lines, rest = (rest + octets).split(b"\n")
            for line in lines:
                changed = (json.loads(line).get("event") or {}).get("changed", {})
                told.update(dict.fromkeys(changed.get("ids", []), now))
            if not octets:
                return told
        elif sys.stdin in ready:
            return told


def is_safe(log, told):
    """Whether it becomes so, what was told at a moment."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if Flushes(power_log.read(log)).saving(told) is not None:
            return True
        time.sleep(0.2)
    return False


class Flushes:
    """When the store's log was written, and when that was flushed."""

    def __init__(self, records):
        of_log = [(place, record) for place, record in enumerate(records) if record.name.endswith("captures.sqlite-wal")]
        self.writes = [(record.ended, place) for place, record in of_log if record.kind == power_log.WRITE]
        self.flushes = [(place, record.ended) for place, record in of_log if is_barrier(record)]

    def saving(self, told):
        """When the flush ended that saved what was told at a moment, and so written before; None without one."""
        count = bisect.bisect_right(self.writes, (told, 1 << 62))
        place = self.writes[count - 1][1] if count else -1
        number = bisect.bisect_right(self.flushes, (place, 1 << 62))
        return self.flushes[number][1] if number < len(self.flushes) else None


def is_barrier(record):
    return record.kind == power_log.FLUSH and os.path.basename(record.name) == "captures.sqlite-wal"


if __name__ == "__main__":
    follower = socket.socket(socket.AF_UNIX)
    follower.connect(sys.argv[1])
    follower.sendall(b'{"id":1,"command":{"subscribe":{}}}\n')
    print("following", flush=True)
    news = follow(follower)
    safe = "--always" in sys.argv or is_safe(sys.argv[2], max(news.values(), default=0))
    print(json.dumps({"told": news, "safe": safe}), flush=True)
