#!/usr/bin/env python3
"""F10: a client that vanishes at every stage, --count times, with FIN and with RST.

Afterwards nothing may be left: not a descriptor, not a connection to the server, no memory. Prints how far
each `stage` was repeated, the slowest end at the server in seconds, and the figures before and after.
"""
import socket
import ssl
import threading
import time

import fault_kit as kit

BIG = 4 << 20


class Vanish:
    def __init__(self):
        self.options = kit.options(__doc__, ("--count", 200), ("--warm", 100))
        self.arrived = threading.Event()
        self.plain = kit.Server(self.serve)
        self.tls = kit.Server(self.serve, self.options.tls)
        self.stages = [
            self.connected, self.part_of_head, self.before_response, self.within_response, self.within_upload,
            self.within_chunk, self.within_connect, self.tunnel_silent, self.within_hello, self.tls_before_response,
            self.tls_within_response, self.relayed_tunnel, self.pipelined,
        ]

    def serve(self, connection):
        octets = kit.read_until(connection, b"\r\n")
        kind = octets.split(b" ")[1].decode() if octets.count(b" ") > 1 else "/raw"
        if kind == "/flood":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
            block = b"x" * 65536
            while True:
                connection.sendall(block)
        self.arrived.set()
        while connection.recv(65536):
            pass

    # Each stage opens a client, brings it so far, and returns it.

    def send(self, octets, client=None):
        client = client or kit.connect(self.options.proxy)
        client.sendall(octets)
        return client

    def head(self, path, more="", method="GET"):
        return f"{method} http://127.0.0.1:{self.plain.port}{path} HTTP/1.1\r\nHost: x\r\n{more}".encode()

    def arrive(self, client):
        self.arrived.wait(10)
        return client

    def connected(self):
        return kit.connect(self.options.proxy)

    def part_of_head(self):
        return self.send(self.head("/part", "X-Long: abc"))

    def before_response(self):
        return self.arrive(self.send(self.head("/never") + b"\r\n"))

    def within_response(self):
        # A server that goes on sending: of one that is silent nobody can tell whether the client only ended
        # its side, which it may, or is gone.
        client = self.send(self.head("/flood") + b"\r\n")
        kit.read_until(client, b"xxx")
        return client

    def within_upload(self):
        return self.arrive(self.send(self.head("/up", f"Content-Length: {BIG}\r\n\r\n", "POST") + b"y" * 5000))

    def within_chunk(self):
        return self.arrive(self.send(self.head("/up", "Transfer-Encoding: chunked\r\n\r\n", "POST") + b"ff\r\nabc"))

    def within_connect(self):
        return self.send(b"CONNECT localhost:%d HTTP/1.1\r\nHost: loc" % self.tls.port)

    def tunnel_silent(self):
        client = self.send(b"CONNECT localhost:%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % self.tls.port)
        kit.read_until(client, b"\r\n\r\n")
        return client

    def within_hello(self):
        client = self.tunnel_silent()
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
        try:
            session.do_handshake()
        except ssl.SSLWantReadError:
            pass
        hello = outgoing.read()
        return self.send(hello[: len(hello) // 2], client)

    def tls_before_response(self):
        client = kit.tunnel(self.options, self.tls.port)
        return self.arrive(self.send(b"GET /never HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % self.tls.port, client))

    def tls_within_response(self):
        client = kit.tunnel(self.options, self.tls.port)
        self.send(b"GET /flood HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % self.tls.port, client)
        kit.read_until(client, b"xxx")
        return client

    def relayed_tunnel(self):
        client = self.send(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\n" % self.plain.port)
        kit.read_until(client, b"\r\n\r\n")
        return self.arrive(self.send(b"SSH-2.0-x\r\n", client))

    def pipelined(self):
        return self.arrive(self.send((self.head("/never") + b"\r\n") * 5))

    def open_at_server(self):
        return self.plain.open_count + self.tls.open_count

    def settle(self):
        return kit.until(lambda: self.open_at_server() == 0, 5)

    def one(self, stage, is_reset):
        self.arrived.clear()
        client = stage()
        began = time.monotonic()
        if is_reset:
            kit.reset(client)
        else:
            # No close_notify: the client is gone, not done.
            client.close()
        if not self.settle():
            self.stuck.append(stage.__name__)
        return time.monotonic() - began

    def run(self):
        self.stuck = []
        slowest = {}
        # Of a client that may only have ended its side the proxy is sure after most of a second.
        waiting = (self.before_response, self.pipelined)
        for number in range(self.options.warm):
            self.one(self.stages[number % len(self.stages)], number % 2)
        before = self.figures()
        for number in range(self.options.count):
            stage = self.stages[number % len(self.stages)]
            is_reset = number // len(self.stages) % 2 or (number > 1_000 and stage in waiting)
            taken = self.one(stage, is_reset)
            name = f"{stage.__name__} {'rst' if is_reset else 'fin'}"
            slowest[name] = max(slowest.get(name, 0), taken)
        kit.until(lambda: kit.socket_count(self.options.pid) <= before["sockets"], 20)
        return {"count": self.options.count, "stuck": self.stuck[:5], "stuck_count": len(self.stuck),
                "slowest_s": max(slowest.values()), "slowest": sorted(slowest, key=slowest.get)[-1],
                "before": before, "after": self.figures(), "times": {k: round(v, 3) for k, v in slowest.items()}}

    def figures(self):
        return {"sockets": kit.socket_count(self.options.pid), "kib": kit.resident_kib(self.options.pid)}


kit.finish(Vanish().run())
