#!/usr/bin/env python3
"""F30: tunnels that end on one side, and that are full in both directions at once.

Each octet sent on one side before its end must come out of the other, whichever side ends first, while the
other goes on sending. Prints `wrong`.
"""
import hashlib
import socket
import threading

import fault_kit as kit


class Tunnels:
    def __init__(self):
        self.options = kit.options(__doc__, ("--octets", 8 << 20), ("--repeat", 5))
        self.wrong, self.count = [], 0
        self.server = kit.Server(self.serve)
        self.handed = None

    def serve(self, connection):
        self.handed.append(connection)
        self.ready.set()
        self.over.wait()

    def open(self):
        self.handed, self.ready, self.over = [], threading.Event(), threading.Event()
        client = kit.connect(self.options.proxy, 60)
        client.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\n" % self.server.port)
        kit.read_until(client, b"\r\n\r\n")
        # No protocol that the proxy knows.
        client.sendall(b"\x00\x01raw")
        self.ready.wait(30)
        server = self.handed[0]
        assert kit.read_until(server, b"raw") == b"\x00\x01raw"
        return client, server

    def pour(self, sink, seed, count):
        digest, block = hashlib.sha256(), bytes((seed + n) % 251 for n in range(65536))
        for _ in range(count // len(block)):
            sink.sendall(block)
            digest.update(block)
        sink.shutdown(socket.SHUT_WR)
        return digest.hexdigest()

    def drain(self, source, into):
        digest = hashlib.sha256()
        while octets := source.recv(65536):
            digest.update(octets)
        into.append(digest.hexdigest())

    def both_ways(self):
        """Both sides pour at once and end each as they are done."""
        client, server = self.open()
        got, sums = {"client": [], "server": []}, {}
        threads = [
            threading.Thread(target=self.drain, args=[client, got["client"]]),
            threading.Thread(target=self.drain, args=[server, got["server"]]),
            threading.Thread(target=lambda: sums.update(client=self.pour(client, 1, self.options.octets))),
            threading.Thread(target=lambda: sums.update(server=self.pour(server, 7, self.options.octets))),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        if got["client"] != [sums.get("server")] or got["server"] != [sums.get("client")]:
            self.wrong.append(f"both ways: {got} {sums}")
        self.end(client)

    def one_ends(self, who):
        """One side ends first; the other sends on after it has seen that."""
        client, server = self.open()
        first, second = (client, server) if who == "client" else (server, client)
        got, count = [], min(self.options.octets, 4 << 20)
        reader = threading.Thread(target=self.drain, args=[second, got])
        reader.start()
        sent = self.pour(first, 3, count)
        reader.join(60)
        if got != [sent]:
            self.wrong.append(f"{who} ends first: what it sent is not what came")
        reply = []
        reader = threading.Thread(target=self.drain, args=[first, reply])
        reader.start()
        answer = self.pour(second, 5, count)
        reader.join(60)
        if reply != [answer]:
            self.wrong.append(f"{who} ends first: what the other sent then is not what came")
        self.end(client)

    def end(self, client):
        client.close()
        self.over.set()
        self.count += 1

    def run(self):
        for _ in range(self.options.repeat):
            self.one_ends("client")
            self.one_ends("server")
        resident = kit.resident_kib(self.options.pid)
        self.both_ways()
        kit.until(lambda: self.server.open_count == 0, 10)
        return {"tunnels": self.count, "wrong": self.wrong, "wrong_count": len(self.wrong),
                "grown_kib": kit.resident_kib(self.options.pid) - resident, "open_at_server": self.server.open_count}


kit.finish(Tunnels().run())
