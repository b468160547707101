#!/usr/bin/env python3
"""F15: --count connections with malformed octets, mixed with good traffic.

Each gets a message that is broken at random: octets changed, doubled, left out or put in, framing fields that
contradict each other, lines that do not end. Between them good requests are sent; each must be answered as if
nothing was. Reproducible by --seed. Prints the good ones' `good_wrong`, and what answers the others got.
"""
import collections
import random
import socket
import threading
import time

import fault_kit as kit

BITS = [b"\0", b"\r", b"\n", b"\r\n", b" ", b"\t", b":", b"\x80\xff", b"%", b"\r\n\r\n", b"0", b"-1", b"\x7f", b","]
FIELDS = [
    b"Content-Length: 5\r\nContent-Length: 6\r\n", b"Content-Length: +5\r\n", b"Content-Length: 0x5\r\n",
    b"Content-Length: 99999999999999999999999\r\n", b"Content-Length: -1\r\n", b"Content-Length: 5, 5, 7\r\n",
    b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", b"Transfer-Encoding: chunked, chunked\r\n",
    b"Transfer-Encoding: xchunked\r\n", b"Transfer-Encoding:\x0bchunked\r\n", b"Transfer-Encoding : chunked\r\n",
    b"Host: a\r\nHost: b\r\n", b" folded: 1\r\n", b"X: a\r\n b\r\n", b": empty\r\n", b"no colon\r\n", b"X\0: 1\r\n",
    b"Expect: 200-maybe\r\n", b"Upgrade: h2c\r\nConnection: Upgrade\r\n", b"Connection: close, \x00\r\n",
    b"X: " + b"y" * 300_000 + b"\r\n", b"A: b\r\n" * 1_100,
]
BODIES = [
    b"5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n", b"ffffffffffffffff1\r\nx", b"-5\r\nhello", b"5 \r\nhello\r\n0\r\n\r\n",
    b"5;" + b"e" * 70_000 + b"\r\n", b"0\r\nContent-Length: 3\r\n\r\n", b"zz\r\n", b"5\nhello\n0\n\n", b"",
]
STARTS = [
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"SSH-2.0-OpenSSH_9\r\n",
    b"GET\r\n\r\n", b"GET  / HTTP/1.1\r\n\r\n", b"GET http:// HTTP/1.1\r\n\r\n", b"CONNECT :443 HTTP/1.1\r\n\r\n",
    b"CONNECT [::1 HTTP/1.1\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 50 + b"x", b"\0" * 400, b"G" * 70_000,
]


class Malformed:
    def __init__(self):
        self.options = kit.options(__doc__, ("--count", 2000), ("--seed", 1), ("--workers", 4))
        self.server = kit.Server(self.serve)
        self.lock = threading.Lock()
        self.answers = collections.Counter()
        self.good_done, self.good_wrong = 0, []
        self.is_over = False

    def serve(self, connection):
        # What is forwarded is read as the server reads it: by its head alone, and answered.
        octets = b""
        while True:
            octets = kit.read_until(connection, b"\r\n\r\n", octets)
            head, _, octets = octets.partition(b"\r\n\r\n")
            name = head.split(b" ")[1]
            is_plain = b"ength: " not in head and b"chunked" not in head
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n%s" % (
                len(name), b"" if is_plain else b"Connection: close\r\n", name))
            if not is_plain:
                return

    def message(self, chance):
        if chance.random() < 0.1:
            return chance.choice(STARTS)
        start = b"%s http://127.0.0.1:%d/bad HTTP/1.1\r\n" % (chance.choice([b"GET", b"POST", b"HEAD"]), self.server.port)
        octets = bytearray(b"Host: x\r\nAccept: */*\r\n")
        if chance.random() < 0.6:
            octets += chance.choice(FIELDS)
        octets += b"\r\n"
        if chance.random() < 0.4:
            octets = b"Transfer-Encoding: chunked\r\n" + octets + chance.choice(BODIES)
        octets = bytearray(octets)
        for _ in range(chance.randint(0, 4)):
            self.mutate(octets, chance)
        # The authority stays, so that nothing leaves this machine.
        return start + bytes(octets)

    def mutate(self, octets, chance):
        place = chance.randrange(len(octets) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            octets[place:place] = chance.choice(BITS)
        elif kind == 1:
            del octets[place:place + chance.randint(1, 5)]
        elif kind == 2 and place < len(octets):
            octets[place] = chance.randrange(256)
        else:
            octets[place:place] = octets[max(0, place - 20):place]

    def bad(self, worker):
        chance = random.Random(f"{self.options.seed}/{worker}")
        answers = collections.Counter()
        for _ in range(worker, self.options.count, self.options.workers):
            client = socket.socket()
            client.settimeout(30)
            client.bind((f"127.0.0.{2 + worker}", 0))
            try:
                client.connect(("127.0.0.1", self.options.proxy))
                client.sendall(self.message(chance))
                client.shutdown(socket.SHUT_WR)
                octets, _ = kit.read_to_end(client)
                answers[octets[9:12].decode("latin-1")] += 1
            except TimeoutError:
                answers["hang"] += 1
            except OSError:
                answers["closed"] += 1
            client.close()
        with self.lock:
            self.answers += answers

    def good(self):
        """One kept-alive connection, and now and then a new one."""
        while not self.is_over:
            client = kit.connect(self.options.proxy)
            for number in range(20):
                path = f"/good/{self.good_done}"
                client.sendall(f"GET http://127.0.0.1:{self.server.port}{path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                octets = b""
                try:
                    while not (message := kit.Message(octets, False)).is_whole:
                        octets += client.recv(65536) or (_ for _ in ()).throw(EOFError())
                    right = message.status == 200 and message.body == path.encode()
                except (OSError, EOFError) as error:
                    right, message = False, kit.Message(repr(error).encode(), False)
                self.good_done += 1
                if not right:
                    self.good_wrong.append(repr(message.octets[:200]))
                    break
                time.sleep(0.002)
            client.close()

    def run(self):
        before = kit.resident_kib(self.options.pid)
        good = threading.Thread(target=self.good)
        good.start()
        workers = [threading.Thread(target=self.bad, args=[n]) for n in range(self.options.workers)]
        for thread in workers:
            thread.start()
        for thread in workers:
            thread.join()
        self.is_over = True
        good.join()
        return {"malformed": sum(self.answers.values()), "answers": self.answers, "good": self.good_done,
                "good_wrong": self.good_wrong[:5], "good_wrong_count": len(self.good_wrong),
                "grown_kib": kit.resident_kib(self.options.pid) - before}


kit.finish(Malformed().run())
