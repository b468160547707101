#!/usr/bin/env python3
"""F18 and F19: names that do not resolve as they should, servers that cannot be reached.

Serves DNS on 127.0.0.77:53, which the daemon's /etc/resolv.conf must name. Prints how long each case took and
what it was answered, and how many threads the daemon had at most. Ends with status 3 where the port is not to
be had.
"""
import errno
import socket
import struct
import sys
import threading
import time

import fault_kit as kit

A, AAAA = 1, 28


class Names:
    def __init__(self):
        self.options = kit.options(__doc__, ("--names", 100), ("--resolve-s", 5.0), ("--connect-s", 10.0))
        self.server = kit.Server(self.serve)
        self.port = self.server.port
        self.holes = []
        self.flips = 0
        self.threads = 0
        self.cases, self.wrong = {}, []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self.socket.bind(("127.0.0.77", 53))
        except OSError as error:
            print(error, file=sys.stderr)
            sys.exit(3 if error.errno in (errno.EACCES, errno.EADDRINUSE, errno.EADDRNOTAVAIL) else 1)
        threading.Thread(target=self.answer, daemon=True).start()

    def serve(self, connection):
        while True:
            kit.read_until(connection, b"\r\n\r\n")
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    def hole(self, family, address):
        """Something listens there and takes nothing: its queue is full, and more SYNs are not answered."""
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.bind((address, self.port))
        listener.listen(0)
        self.holes.append(listener)
        for _ in range(4):
            filler = socket.socket(family, socket.SOCK_STREAM)
            filler.setblocking(False)
            filler.connect_ex((address, self.port))
            self.holes.append(filler)

    # DNS, as little of it as is needed.

    def answer(self):
        while True:
            query, peer = self.socket.recvfrom(4096)
            labels, place = [], 12
            while query[place]:
                labels.append(query[place + 1:place + 1 + query[place]].decode())
                place += 1 + query[place]
            kind = struct.unpack(">H", query[place + 1:place + 3])[0]
            question = query[12:place + 5]
            name = labels[0].lower()
            if name.startswith("silent"):
                continue
            flags, records = 0x8180, self.records(name, kind)
            if name.startswith("servfail"):
                flags, records = 0x8182, []
            elif name.startswith("unknown"):
                flags, records = 0x8183, []
            octets = query[:2] + struct.pack(">HHHHH", flags, 1, len(records), 0, 0) + question
            for record in records:
                octets += b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(record)) + record
            self.socket.sendto(octets[:65000], peer)

    def records(self, name, kind):
        v4 = socket.inet_aton
        if kind == AAAA:
            return [socket.inet_pton(socket.AF_INET6, "::1")] if name.startswith(("deadsix", "onlysix")) else []
        if name.startswith("onlysix"):
            return []
        if name.startswith("four"):
            return [v4(f"127.0.0.{n}") for n in (11, 12, 13)] + [v4("127.0.0.1")]
        if name.startswith("flip"):
            self.flips += 1
            return [v4("127.0.0.1" if self.flips % 2 else "127.0.0.2")]
        if name.startswith("many"):
            return [v4(f"127.0.1.{n}") for n in range(1, 25)] + [v4("127.0.0.1")]
        if name.startswith("hole"):
            return [v4("127.0.0.11")]
        return [v4("127.0.0.1")]

    def ask(self, name, timeout=40, path="/"):
        began = time.monotonic()
        client = kit.connect(self.options.proxy, timeout)
        client.sendall(b"GET http://%s:%d%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % (
            name.encode(), self.port, path.encode()))
        message = kit.Message(*kit.read_to_end(client))
        client.close()
        self.threads = max(self.threads, kit.thread_count(self.options.pid))
        return message.status, time.monotonic() - began, message.body.decode()[:150]

    def case(self, name, statuses, longest_s, shortest_s=0.0):
        status, taken, text = self.ask(name)
        self.cases[name] = {"status": status, "s": round(taken, 3), "text": text}
        if status not in statuses:
            self.wrong.append(f"{name}: {status} {text}")
        if not shortest_s <= taken <= longest_s:
            self.cases[name]["late"] = True

    def crowd(self):
        """Many names at once that nobody answers, and one that is answered among them."""
        statuses = []
        threads = [
            threading.Thread(target=lambda n=n: statuses.append(self.ask(f"silent{n}.test")[0]))
            for n in range(self.options.names)
        ]
        for thread in threads:
            thread.start()
        most = 0
        while any(thread.is_alive() for thread in threads):
            most = max(most, kit.thread_count(self.options.pid))
            time.sleep(0.05)
        self.crowd_threads = most
        if set(statuses) - {502, 503, 504}:
            self.wrong.append(f"silent names were answered {set(statuses)}")
        # Those that hold a thread let go of it by themselves.
        if not kit.until(lambda: self.ask("good.test")[0] == 200, 60):
            self.wrong.append("no name resolves any more")

    def run(self):
        before = kit.thread_count(self.options.pid)
        resolve, connect = self.options.resolve_s, self.options.connect_s
        self.case("good.test", {200}, 1)
        self.case("servfail.test", {502, 504}, resolve * 1.1)
        self.case("unknown.test", {502}, resolve * 1.1)
        self.case("silent.test", {502, 504}, resolve * 1.1 + 0.1)
        for _ in range(4):
            # Every second answer names an address where nobody listens: none is remembered.
            self.case("flip.test", {200, 502}, 1)
        self.case("onlysix.test", {502}, 0.5)
        self.hole(socket.AF_INET6, "::1")
        self.case("deadsix.test", {200}, 0.5)
        for number in (11, 12, 13):
            self.hole(socket.AF_INET, f"127.0.0.{number}")
        self.case("four.test", {200}, 1.5)
        self.case("many.test", {200}, 8)
        self.case("hole.test", {504, 502}, connect * 1.1, connect * 0.9)
        closed = socket.create_server(("127.0.0.1", 0))
        port, self.port = self.port, closed.getsockname()[1]
        closed.close()
        self.case("refused.test", {502}, 0.1)
        self.port = port
        self.crowd()
        late = [name for name, case in self.cases.items() if "late" in case]
        return {"cases": self.cases, "late": late, "wrong": self.wrong, "wrong_count": len(self.wrong),
                "resolver_threads": self.crowd_threads - before}


kit.finish(Names().run())
