#!/usr/bin/env python3
"""F32: deletes the exchanges up to number --through while requests are made and recorded, --rate a second.

Prints how many were `removed` in how many `seconds`, of which the daemon had a processor for `spent`; how
long the slowest request took then (`request_ms`); and how long after its end a request was told as stored,
median, 99th of a hundred and longest, `before` the deletion and `during` it, in milliseconds. --rest seconds
are waited first for the daemon to have nothing to do.
"""
import json
import socket
import statistics
import threading
import time

import fault_kit as kit


class Removal:
    def __init__(self):
        self.options = kit.options(__doc__, ("--through", 0), ("--first", 0), ("--rate", 50), ("--seconds", 5), ("--rest", 0))
        self.origin = kit.serve_apart(self.serve)
        # Number → when it was told as stored last; and for each request its number, when it began and ended.
        self.stored, self.requests = {}, []
        self.is_over = threading.Event()

    @staticmethod
    def serve(connection):
        while True:
            kit.read_until(connection, b"\r\n\r\n")
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    def open_control(self, command):
        control = socket.socket(socket.AF_UNIX)
        control.connect(self.options.data + "/control.sock")
        control.sendall(json.dumps({"id": 1, "command": command}).encode() + b"\n")
        return control

    def follow(self):
        control, rest = self.open_control({"subscribe": {}}), b""
        while octets := control.recv(1 << 20):
            now = time.monotonic()
            *lines, rest = (rest + octets).split(b"\n")
            for line in lines:
                changed = (json.loads(line).get("event") or {}).get("changed", {})
                self.stored.update(dict.fromkeys(changed.get("ids", []), now))

    def ask(self):
        """One request after the other, so that their numbers are known."""
        client, number = kit.connect(self.options.proxy, 120), self.options.first
        head = b"GET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (self.origin, self.origin)
        due = time.monotonic()
        while not self.is_over.is_set():
            began = time.monotonic()
            client.sendall(head)
            kit.read_until(client, b"\r\n\r\nok")
            self.requests.append((number, began, time.monotonic()))
            number, due = number + 1, due + 1 / self.options.rate
            time.sleep(max(0, due - time.monotonic()))

    def run(self):
        for _ in range(self.options.rest // 10):
            if kit.idle_share(self.options.pid, 1) < 0.01:
                break
        threading.Thread(target=self.follow, daemon=True).start()
        asking = threading.Thread(target=self.ask)
        asking.start()
        time.sleep(self.options.seconds)
        began, spent = time.monotonic(), kit.processor_seconds(self.options.pid)
        control = self.open_control({"clear": {"filter": f"id<={self.options.through}"}})
        answer = json.loads(kit.read_until(control, b"\n"))
        ended, spent = time.monotonic(), kit.processor_seconds(self.options.pid) - spent
        time.sleep(1)
        self.is_over.set()
        asking.join()
        kit.until(lambda: all(number in self.stored for number, _, _ in self.requests))
        missing = sum(number not in self.stored for number, _, _ in self.requests)
        during = [request for request in self.requests if began <= request[2] <= ended]
        return {"removed": answer.get("result", {}).get("affected", {}).get("exchangeCount", 0), "answer": answer,
                "seconds": ended - began, "spent": spent, "requests": len(self.requests), "missing": missing,
                "request_ms": 1_000 * max((end - begin for _, begin, end in during), default=0),
                "before": self.late([request for request in self.requests if request[2] < began]), "during": self.late(during)}

    def late(self, requests):
        late = [1_000 * (self.stored[number] - end) for number, _, end in requests if number in self.stored]
        late = sorted(late) or [0]
        return {"median_ms": statistics.median(late), "p99_ms": late[len(late) * 99 // 100], "longest_ms": late[-1]}


kit.finish(Removal().run())
