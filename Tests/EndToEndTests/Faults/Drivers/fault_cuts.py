#!/usr/bin/env python3
"""F9: a server that ends its connection at every octet of a response.

Each of three responses (a body with a length, chunks with a trailer, a body that the close ends) is cut at
every --step octets with FIN and with RST, over TLS also without close_notify. A client must never get a whole
message out of a cut one, but for a head that ends cleanly where its empty line should be and names no length:
clients take it, so it goes on, and its row says that it was mended. Prints what was `wrong`, and for each number of the path how many octets of the body
had been sent: the rows of the store must have failed with no more than that.
"""
import sqlite3
import time

import fault_kit as kit

LENGTH = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 26\r\n\r\nabcdefghijklmnopqrstuvwxyz"
CHUNKS = (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
          b"a\r\n0123456789\r\n5;x=y\r\nabcde\r\n0\r\nX-Sum: 15\r\n\r\n")
CLOSE = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\nup to the end"
RESPONSES = {"length": LENGTH, "chunks": CHUNKS, "close": CLOSE}


class Cuts:
    def __init__(self):
        self.options = kit.options(__doc__, ("--step", 1), ("--tls-step", 7))
        self.wrong, self.plan = [], {}
        self.plain = kit.Server(self.serve)
        self.tls = kit.Server(self.serve, self.options.tls)

    def serve(self, connection):
        target = kit.read_until(connection, b"\r\n\r\n").split(b" ")[1].decode()
        _, _, _, kind, offset, mode = target.split("/")
        octets = RESPONSES[kind][: int(offset)]
        connection.sendall(octets)
        if mode == "rst":
            # What the other side has not read by then, the reset takes away again.
            time.sleep(0.003)
            kit.reset(connection)
        elif mode == "notify":
            connection.unwrap()

    def run(self):
        number = 0
        for kind, response in RESPONSES.items():
            for secure in (False, True):
                modes = ("fin", "rst", "notify") if secure else ("fin", "rst")
                step = self.options.tls_step if secure else self.options.step
                offsets = list(range(0, len(response), step)) + [len(response)]
                for offset in offsets:
                    for mode in modes:
                        number += 1
                        self.ask(number, secure, kind, offset, mode)
        problems = self.rows()
        return {"cuts": number, "wrong": self.wrong[:8], "wrong_count": len(self.wrong),
                "bad_rows": problems[:8], "bad_row_count": len(problems),
                "open_at_server": self.plain.open_count + self.tls.open_count}

    def ask(self, number, secure, kind, offset, mode):
        response = RESPONSES[kind]
        path = f"/cut/{number}/{kind}/{offset}/{mode}"
        port = (self.tls if secure else self.plain).port
        if secure:
            client, target = kit.tunnel(self.options, port), path
        else:
            client, target = kit.connect(self.options.proxy), f"http://127.0.0.1:{port}{path}"
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n".encode())
        message = kit.Message(*kit.read_to_end(client))
        client.close()
        head = response.index(b"\r\n\r\n") + 4
        is_end = offset == len(response)
        is_clean = mode == "notify" or (mode == "fin" and not secure)
        is_mended = is_clean and offset < head and lacks_only_empty_line(response[:offset])
        if kind == "close":
            # Only a clean end says that it was all.
            is_end = offset >= head and is_clean
        elif is_end and mode == "rst":
            return  # What came before the reset may be lost or not.
        is_end = is_end or is_mended
        self.plan[number] = (is_end, is_mended, max(0, offset - head))
        if is_end != (message.status == 200 and message.is_whole):
            self.wrong.append(f"{path} tls {secure}: {message.octets!r}")
        if not is_end and message.status not in (200, 502, None):
            self.wrong.append(f"{path} tls {secure}: status {message.status}")

    def rows(self):
        store = sqlite3.connect(f"file:{self.options.data}/captures.sqlite?mode=ro", uri=True, timeout=30)
        query = """SELECT path, state, error, status, response_body_bytes, f.repaired
                   FROM exchanges LEFT JOIN response_fault f ON f.exchange_id = id WHERE path LIKE '/cut/%'"""
        rows = {}

        def are_final():
            rows.clear()
            rows.update((int(row[0].split("/")[2]), row) for row in store.execute(query))
            return all(n in rows and rows[n][1] != "active" for n in self.plan)

        if not kit.until(are_final):
            return ["rows stay open or away"]
        problems = []
        for number, (is_whole, is_mended, sent) in self.plan.items():
            path, state, error, status, count, repaired = rows[number]
            good = (state == "complete" and error is None) if is_whole else (state == "failed" and error)
            # A 502 is our own, with a body of ours.
            if not good or (status == 200 and (count or 0) > sent) or (is_mended and not repaired):
                problems.append(f"{path}: {state}, {error}, {count} octets of {sent}")
        return problems


def lacks_only_empty_line(head):
    """Whether these are whole lines, a status line at least, none of which says where the body ends."""
    lines = head.removesuffix(b"\r").lower()
    is_framed = b"content-length:" in lines or b"transfer-encoding:" in lines
    return lines.endswith(b"\r\n") and not is_framed


kit.finish(Cuts().run())
