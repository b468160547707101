#!/usr/bin/env python3
"""F29: every message split at every octet, and ten of them glued together.

A message passes whole first; then again in two pieces for each place of a cut. The second piece is sent when
the proxy, which must have one loop only, has answered on another connection: it has read the first by then.
What the server got and what the client got must be the same octets each time. Prints `wrong`.
"""
import re

import fault_kit as kit

CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n3;x=\"y\"\r\nend\r\n0\r\nX-T: v\r\n\r\n"
REQUESTS = {
    "get": b"GET %s?a=1 HTTP/1.1\r\nHost: x\r\nX-Long: some more octets\r\n\r\n",
    "length": b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nthe body",
    "chunks": b"POST %s HTTP/1.1\r\nHost: x\r\nTrailer: X-T\r\n" + CHUNKED,
    "empty-line": b"\r\nDELETE %s HTTP/1.0\r\nHost: x\r\n\r\n",
}
RESPONSES = {
    "length": b"HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 8\r\n\r\nthe body",
    "chunks": b"HTTP/1.1 200 OK\r\nTrailer: X-T\r\n" + CHUNKED,
    "hints": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "none": b"HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n",
    "close": b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nup to the end",
}


class Splits:
    def __init__(self):
        self.options = kit.options(__doc__, ("--step", 1))
        self.server = kit.Server(self.serve)
        self.other = kit.connect(self.options.proxy)
        self.got, self.cut = b"", None
        self.wrong = []

    def ping(self):
        """A page of the proxy's own: what came before it on other connections has been read."""
        self.other.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % self.options.proxy)
        octets = b""
        while not kit.Message(octets, False).is_whole:
            octets += self.other.recv(65536)

    def in_two(self, connection, octets, cut):
        if cut is None:
            return connection.sendall(octets)
        connection.sendall(octets[:cut])
        self.ping()
        connection.sendall(octets[cut:])

    def serve(self, connection):
        """Takes requests by their own framing and answers as their paths say."""
        rest = b""
        while True:
            octets = kit.read_until(connection, b"\r\n\r\n", rest)
            head, _, rest = octets.partition(b"\r\n\r\n")
            if b"chunked" in head:
                rest = kit.read_until(connection, b"0\r\nX-T: v\r\n\r\n", rest)
                length = rest.index(b"0\r\nX-T: v\r\n\r\n") + 13
            else:
                length = 8 if b"Content-Length" in head else 0
            while len(rest) < length:
                rest += connection.recv(65536)
            body, rest = rest[:length], rest[length:]
            self.got = head + b"\r\n\r\n" + body
            name = head.split(b" ")[1].split(b"?")[0].decode().split("/")[2]
            self.in_two(connection, RESPONSES[name], self.cut)
            if name == "close":
                return

    def exchange(self, request, response, request_cut=None, response_cut=None):
        target = b"http://127.0.0.1:%d/split/%s" % (self.server.port, response.encode())
        octets = REQUESTS[request] % target
        self.got, self.cut = b"", response_cut
        client = kit.connect(self.options.proxy)
        self.in_two(client, octets, request_cut)
        answer = b""
        while not (message := kit.Message(answer, False)).is_whole and message.status != 204:
            if message.status == 103:
                message = kit.Message(answer.partition(b"\r\n\r\n")[2], False)
                if message.is_whole:
                    break
            piece = client.recv(65536)
            if not piece:
                break
            answer += piece
        client.close()
        return self.got, answer

    def same(self, what, found, wanted):
        # Chunks are the proxy's own to make: what they say must be the same.
        found, wanted = [tuple(map(self.joined, each)) for each in (found, wanted)]
        if found != wanted:
            self.wrong.append(f"{what}: {found!r}, whole it was {wanted!r}")

    def joined(self, octets):
        if b"chunked" not in octets:
            return octets
        head, _, rest = octets.partition(b"\r\n\r\n")
        body = b""
        while True:
            line, _, rest = rest.partition(b"\r\n")
            size = int(line.split(b";")[0] or b"0", 16)
            if size == 0:
                return head, body, rest
            body, rest = body + rest[:size], rest[size + 2:]

    def run(self):
        count = 0
        for request in REQUESTS:
            wanted = self.exchange(request, "length")
            length = len(REQUESTS[request] % (b"http://127.0.0.1:%d/split/length" % self.server.port))
            for cut in range(1, length, self.options.step):
                self.same(f"{request} cut at {cut}", self.exchange(request, "length", request_cut=cut), wanted)
                count += 1
        for response in RESPONSES:
            wanted = self.exchange("get", response)
            for cut in range(1, len(RESPONSES[response]), self.options.step):
                self.same(f"{response} cut at {cut}", self.exchange("get", response, response_cut=cut), wanted)
                count += 1
        return {"splits": count, "glued": self.glue(), "wrong": self.wrong[:5], "wrong_count": len(self.wrong)}

    def glue(self):
        """Ten at once on one connection, answered in order."""
        names = ["length", "chunks", "none", "hints"] * 3
        octets = b"".join(
            REQUESTS[kind] % (b"http://127.0.0.1:%d/split/%s" % (self.server.port, name.encode()))
            for kind, name in zip(["get", "length", "chunks", "get"] * 3, names[:10]))
        self.cut = None
        client = kit.connect(self.options.proxy)
        client.sendall(octets + b"GET http://127.0.0.1:%d/split/close HTTP/1.1\r\nHost: x\r\n\r\n" % self.server.port)
        answer, _ = kit.read_to_end(client)
        statuses = re.findall(rb"HTTP/1\.1 (\d+)", answer)
        wanted = [b"200", b"200", b"204", b"103", b"200"] * 2 + [b"200", b"200", b"200"]
        if statuses != wanted:
            self.wrong.append(f"glued: {statuses}")
        return 10


kit.finish(Splits().run())
