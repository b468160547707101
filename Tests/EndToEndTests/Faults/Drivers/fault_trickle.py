#!/usr/bin/env python3
"""F14: --count octets, one each --pause seconds, on connections of every kind at the same time.

    events, tls     an event stream in chunks, plain and intercepted
    close           a body that ends with its connection
    length          a body of known length
    upload          a request's body in chunks
    tunnel, back    what is relayed unseen, from the client and to it

Both ends are here, so that one clock says how long each octet was under way. Prints the slowest of each kind
in milliseconds, how many octets did not arrive, and the median of all.
"""
import queue
import statistics
import threading
import time

import fault_kit as kit


class Trickle:
    def __init__(self):
        self.options = kit.options(__doc__, ("--count", 20), ("--pause", 0.05))
        self.plain = kit.Server(self.serve)
        self.tls = kit.Server(self.serve, self.options.tls)
        # When each octet was handed over, by kind; it is told before it is sent.
        self.sent = {kind: queue.Queue() for kind in self.kinds()}
        self.taken = {kind: [] for kind in self.kinds()}
        self.uploaded = threading.Event()

    def kinds(self):
        return {"events": self.events, "tls": self.intercepted, "close": self.until_close, "length": self.length,
                "upload": self.upload, "tunnel": self.tunnel, "back": self.back}

    def send_slowly(self, kind, connection, chunked=False):
        # One connection's octets shall not come at the same moments as another's.
        time.sleep(self.options.pause * list(self.taken).index(kind) / len(self.taken))
        due = time.monotonic()
        for _ in range(self.options.count):
            due += self.options.pause
            time.sleep(max(0, due - time.monotonic()))
            self.sent[kind].put(time.monotonic())
            connection.sendall(b"1\r\n~\r\n" if chunked else b"~")

    def take(self, kind, connection, octets=b""):
        """Notes when each octet arrives: none but those that trickle is a tilde."""
        while len(self.taken[kind]) < self.options.count:
            for _ in range(octets.count(b"~")):
                self.taken[kind].append(time.monotonic() - self.sent[kind].get(timeout=30))
            if len(self.taken[kind]) < self.options.count:
                octets = connection.recv(65536)
                if not octets:
                    return

    def serve(self, connection):
        octets = kit.read_until(connection, b"\r\n")
        if octets.startswith(b"SSH-"):
            if b"tunnel" in octets:
                return self.take("tunnel", connection, octets.partition(b"\r\n")[2])
            return self.send_slowly("back", connection)
        head, _, rest = kit.read_until(connection, b"\r\n\r\n", octets).partition(b"\r\n\r\n")
        kind = head.split(b" ")[1].decode().lstrip("/")
        if kind == "upload":
            self.take("upload", connection, rest)
            return self.uploaded.set()
        framing = {"close": "Connection: close", "length": f"Content-Length: {self.options.count}"}
        framing = framing.get(kind, "Transfer-Encoding: chunked")
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n%s\r\n\r\n" % framing.encode())
        self.send_slowly(kind, connection, "chunked" in framing)

    def get(self, kind):
        client = kit.connect(self.options.proxy)
        client.sendall(b"GET http://127.0.0.1:%d/%s HTTP/1.1\r\nHost: x\r\n\r\n" % (self.plain.port, kind.encode()))
        self.take(kind, client)

    def events(self):
        self.get("events")

    def until_close(self):
        self.get("close")

    def length(self):
        self.get("length")

    def intercepted(self):
        client = kit.tunnel(self.options, self.tls.port)
        client.sendall(b"GET /tls HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % self.tls.port)
        self.take("tls", client)

    def upload(self):
        client = kit.connect(self.options.proxy)
        client.sendall(b"POST http://127.0.0.1:%d/upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                       % self.plain.port)
        self.send_slowly("upload", client, chunked=True)
        self.uploaded.wait(30)

    def relayed(self, name):
        client = kit.connect(self.options.proxy)
        client.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\n" % self.plain.port)
        kit.read_until(client, b"\r\n\r\n")
        client.sendall(b"SSH-2.0-%s\r\n" % name)
        return client

    def tunnel(self):
        client = self.relayed(b"tunnel")
        self.send_slowly("tunnel", client)
        client.recv(1)

    def back(self):
        self.take("back", self.relayed(b"back"))

    def run(self):
        threads = [threading.Thread(target=play) for play in self.kinds().values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        every = [delay for delays in self.taken.values() for delay in delays]
        return {"octets": len(every), "missing": len(self.taken) * self.options.count - len(every),
                "median_ms": 1000 * statistics.median(every), "slowest_ms": 1000 * max(every),
                "late": sum(delay > 0.05 for delay in every),
                "slowest": {kind: round(1000 * max(delays, default=0), 1) for kind, delays in self.taken.items()}}


kit.finish(Trickle().run())
