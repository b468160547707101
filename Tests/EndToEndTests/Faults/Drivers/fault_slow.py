#!/usr/bin/env python3
"""Slow clients, which must neither stay for ever nor cost much; see T34, F11 and F12.

    --mode heads    --count clients send a head at one octet a --pause; all must be gone --limit-s after their
                    first octet (the daemon's timeouts.request_head_s), and others be served meanwhile
    --mode bodies   the same with bodies that stop moving (timeouts.body_idle_s)
    --mode readers  --count clients read --octets at --rate octets a second, and as many upload so, for --seconds
"""
import selectors
import threading
import time

import fault_kit as kit


class Slow:
    def __init__(self):
        self.options = kit.options(
            __doc__, ("--mode", "heads"), ("--count", 100), ("--pause", 0.1), ("--limit-s", 2.0), ("--seconds", 5.0),
            ("--octets", 1 << 30), ("--rate", 10_000))
        # A thousand threads of one server would make others wait, and not the proxy.
        self.other_port = kit.serve_apart(self.serve)
        self.server = kit.Server(self.serve)
        self.sent = 0

    def serve(self, connection):
        while True:
            head = kit.read_until(connection, b"\r\n\r\n").split(b" ")
            if head[1] == b"/give":
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % self.options.octets)
                block = b"x" * 65536
                for _ in range(self.options.octets // len(block)):
                    connection.sendall(block)
                    self.sent += len(block)
            elif head[0] == b"POST":
                while connection.recv(65536):
                    pass
                return
            else:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    def url(self, path):
        return b"http://127.0.0.1:%d%s" % (self.server.port, path)

    def ask(self):
        began = time.monotonic()
        client = kit.connect(self.options.proxy)
        client.sendall(b"GET http://127.0.0.1:%d/other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                       % self.other_port)
        octets, _ = kit.read_to_end(client)
        return kit.Message(octets, True).body == b"ok", time.monotonic() - began

    def run(self):
        if self.options.mode == "readers":
            return self.readers()
        start = b"GET %s HTTP/1.1\r\nHost: x\r\nX-Slow: " % self.url(b"/slow")
        if self.options.mode == "bodies":
            start = b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nstart" % self.url(b"/slow")
        resident = kit.resident_kib(self.options.pid)
        watch, began, lives, answers = selectors.DefaultSelector(), {}, [], set()
        for _ in range(self.options.count):
            client = kit.connect(self.options.proxy)
            client.sendall(start)
            began[client] = time.monotonic()
            watch.register(client, selectors.EVENT_READ)
        grown = kit.resident_kib(self.options.pid) - resident
        others, next_octet = [], 0
        end = time.monotonic() + self.options.limit_s + 20
        while began and time.monotonic() < end:
            for key, _ in watch.select(0.05):
                try:
                    octets = key.fileobj.recv(65536)
                except OSError:
                    octets = b""
                answers.add(octets[9:12].decode() if octets else "")
                if not octets:
                    watch.unregister(key.fileobj)
                    lives.append(time.monotonic() - began.pop(key.fileobj))
                    key.fileobj.close()
            if self.options.mode == "heads" and time.monotonic() > next_octet:
                next_octet = time.monotonic() + self.options.pause
                for client in list(began):
                    try:
                        client.send(b"a")
                    except OSError:
                        pass
            if len(others) < 50:
                others.append(self.ask())
        return {"count": self.options.count, "left": len(began), "longest_s": max(lives, default=0),
                "answers": sorted(answers), "grown_kib": grown, "others": len(others),
                "others_wrong": sum(not right for right, _ in others), "others_slowest_s": max(t for _, t in others)}

    def readers(self):
        # What the first exchanges cost, they cost once.
        for _ in range(100):
            self.ask()
        resident = kit.resident_kib(self.options.pid)
        stop = threading.Event()
        progress = []

        def read():
            client = kit.connect(self.options.proxy)
            client.setsockopt(kit.socket.SOL_SOCKET, kit.socket.SO_RCVBUF, 4096)
            client.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % self.url(b"/give"))
            count = 0
            while not stop.wait(0.5):
                count += len(client.recv(self.options.rate // 2))
            progress.append(count)
            client.close()

        def upload():
            client = kit.connect(self.options.proxy)
            client.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (
                self.url(b"/up"), self.options.octets))
            count = 0
            while not stop.wait(0.5):
                count += client.send(b"y" * (self.options.rate // 2))
            progress.append(count)
            client.close()

        threads = [threading.Thread(target=each) for each in [read, upload] * self.options.count]
        for thread in threads:
            thread.start()
        others, highest = [], resident
        end = time.monotonic() + self.options.seconds
        while time.monotonic() < end:
            others.append(self.ask())
            highest = max(highest, kit.resident_kib(self.options.pid))
            time.sleep(0.05)
        sent = self.sent
        stop.set()
        for thread in threads:
            thread.join()
        return {"count": self.options.count, "grown_kib": highest - resident, "moved": sum(progress),
                "taken_of_servers": sent, "others": len(others), "others_wrong": sum(not right for right, _ in others),
                "others_slowest_s": max(t for _, t in others)}


kit.finish(Slow().run())
