#!/usr/bin/env python3
"""F35: --count odd clients of the control socket: garbage, lines without end, half commands, sudden ends.

Prints how many were `sent`, and how many of them the daemon cut off.
"""
import random
import socket

import fault_kit as kit


class Control:
    def __init__(self):
        self.options = kit.options(__doc__, ("--count", 200))

    def run(self):
        chance = random.Random(1)
        refused = 0
        for number in range(self.options.count):
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(10)
            try:
                client.connect(self.options.data + "/control.sock")
                kind = number % 5
                if kind == 0:
                    client.sendall(chance.randbytes(chance.randint(1, 3_000)))
                elif kind == 1:
                    client.sendall(b'{"status":' * chance.randint(1, 2_000) + b"\n")
                elif kind == 2:
                    client.sendall(b"x" * 300_000)
                elif kind == 3:
                    client.sendall(b'{"id":1,"command":{"status":{}}}\n' * 500)
                if number % 2:
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(65536):
                        pass
            except OSError:
                refused += 1
            client.close()
        return {"sent": self.options.count, "cut_off": refused, "descriptors": kit.descriptor_count(self.options.pid)}


kit.finish(Control().run())
