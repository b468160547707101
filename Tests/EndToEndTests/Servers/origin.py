#!/usr/bin/env python3
"""A scripted HTTP/1.1 origin for the end-to-end tests: what it answers is chosen by the path.

    origin.py [--tls CERT KEY] [--root DIR]     prints "PORT\\n" and serves on 127.0.0.1

Nothing here sleeps: what has to wait, waits until another request releases it.
"""
import argparse, asyncio, base64, hashlib, json, os, ssl, sys, zlib

gates = {}


def gate(name):
    return gates.setdefault(name, asyncio.Event())


class Closed(Exception):
    pass


class Exchange:
    def __init__(self, reader, writer, method, target, headers):
        self.reader, self.writer = reader, writer
        self.method, self.target, self.headers = method, target, headers
        self.path, _, self.query = target.partition("?")
        self.trailers = []

    def header(self, name):
        return next((v for n, v in self.headers if n.lower() == name), None)

    async def body(self, limit=None):
        digest, size, kept = hashlib.sha256(), 0, b""
        async for piece in self.pieces():
            digest.update(piece)
            size += len(piece)
            if len(kept) < 1 << 16:
                kept += piece
        return size, digest.hexdigest(), kept[: 1 << 16]

    async def pieces(self):
        if (self.header("transfer-encoding") or "").lower() == "chunked":
            while True:
                size = int((await self.reader.readline()).split(b";")[0], 16)
                if size == 0:
                    while True:
                        line = (await self.reader.readline()).rstrip(b"\r\n")
                        if not line:
                            return
                        self.trailers.append(line.decode("latin-1"))
                left = size
                while left:
                    piece = await self.reader.read(min(left, 1 << 18))
                    if not piece:
                        raise Closed
                    left -= len(piece)
                    yield piece
                await self.reader.readexactly(2)
        else:
            left = int(self.header("content-length") or 0)
            while left:
                piece = await self.reader.read(min(left, 1 << 18))
                if not piece:
                    raise Closed
                left -= len(piece)
                yield piece

    async def send(self, data):
        self.writer.write(data)
        await self.writer.drain()

    async def reply(self, status, body=b"", headers=(), reason="OK"):
        lines = [f"HTTP/1.1 {status} {reason}"] + [f"{n}: {v}" for n, v in headers]
        lines.append(f"Content-Length: {len(body)}")
        await self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (b"" if self.method == "HEAD" else body))

    async def head(self, *lines):
        await self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n")

    async def chunk(self, data):
        await self.send(b"%x\r\n%s\r\n" % (len(data), data))


def pattern(count):
    return (b"0123456789abcdef" * (count // 16 + 1))[:count]


async def answer(x):
    """Answers one request; returns whether the connection can be used again."""
    kind, _, rest = x.path.lstrip("/").partition("/")
    if kind == "hold-head":  # answers nothing until released
        await x.body()
        await gate(rest).wait()
        await x.reply(200, b"released")
    elif kind == "hold-body":  # sends the first half, the rest when released
        await x.body()
        await x.head("HTTP/1.1 200 OK", "Content-Length: 10")
        await x.send(b"first")
        await gate(rest).wait()
        await x.send(b"-last")
    elif kind == "release":
        gate(rest).set()
        await x.reply(200, b"ok")
    elif kind == "sse":  # one event at once, one more when released
        await x.head("HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        await x.chunk(b"data: one\n\n")
        await gate(rest).wait()
        await x.chunk(b"data: two\n\n")
        await x.send(b"0\r\n\r\n")
    elif kind == "events":  # each event flushed through the coding that the query names; the last when released
        coder = zlib.compressobj(wbits=31) if x.query == "gzip" else None
        coding = ["Content-Encoding: gzip"] if coder else []

        async def say(text):
            data = text.encode()
            await x.chunk(coder.compress(data) + coder.flush(zlib.Z_SYNC_FLUSH) if coder else data)

        await x.head("HTTP/1.1 200 OK", "Content-Type: text/event-stream", *coding, "Transfer-Encoding: chunked")
        await say("\ufeff: welcome\n\nretry: 1500\n\n")
        await say("event: price\r\nid: 7\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n")
        await say("data: \u00fc\n\n")
        await gate(rest).wait()
        await say("data: last\n\ndata: never")
        if coder:
            await x.chunk(coder.flush())
        await x.send(b"0\r\n\r\n")
    elif kind == "upload-gate":  # tells that the first octets came while the upload still runs
        size = 0
        async for piece in x.pieces():
            size += len(piece)
            gate(rest).set()
        await x.reply(200, str(size).encode())
    elif kind == "wait":  # answers when a gate is open
        await gate(rest).wait()
        await x.reply(200, b"open")
    elif kind == "bytes":
        await x.body()
        n = int(rest)
        await x.head("HTTP/1.1 200 OK", "Content-Type: application/octet-stream", f"Content-Length: {n}")
        block = pattern(1 << 18)
        while n and x.method != "HEAD":
            await x.send(block[: min(n, 1 << 18)])
            n -= min(n, 1 << 18)
    elif kind == "chunked":
        await x.body()
        await x.head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Trailer: X-Digest")
        n = int(rest)
        while n:
            await x.chunk(pattern(min(n, 1 << 16)))
            n -= min(n, 1 << 16)
        await x.send(b"0\r\nX-Digest: done\r\n\r\n")
    elif kind == "until-close":
        await x.body()
        await x.head("HTTP/1.0 200 OK", "Content-Type: text/plain")
        await x.send(pattern(int(rest)))
        return False
    elif kind == "short":  # promises more than it sends
        await x.body()
        await x.head("HTTP/1.1 200 OK", "Content-Length: 100")
        await x.send(b"only this")
        return False
    elif kind == "broken-chunk":
        await x.head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
        await x.send(b"5\r\nhello\r\nzz\r\n")
        return False
    elif kind == "garbage":
        await x.send(b"this is not HTTP\r\n\r\n")
        return False
    elif kind == "hangup":
        return False
    elif kind == "status":
        await x.body()
        if rest in ("204", "304"):
            await x.head(f"HTTP/1.1 {rest} Empty", 'ETag: "x"')
        else:
            await x.reply(int(rest), b"status", reason="Chosen")
    elif kind == "hints":
        await x.body()
        await x.head("HTTP/1.1 103 Early Hints", "Link: </style.css>; rel=preload")
        await x.head("HTTP/1.1 103 Early Hints", "Link: </script.js>; rel=preload")
        await x.reply(200, b"hinted")
    elif kind == "expect":  # says 100 only after the head was seen
        if (x.header("expect") or "").lower() == "100-continue":
            await x.head("HTTP/1.1 100 Continue")
        size, digest, _ = await x.body()
        await x.reply(200, f"{size}".encode())
    elif kind == "refuse-upload":
        await x.reply(417, b"no", reason="Expectation Failed")
        return False
    elif kind == "headers":
        await x.reply(200, b"many", [("Set-Cookie", "a=1; Path=/"), ("X-CaSe", " kept "), ("Set-Cookie", "b=2"), ("x-bytes", "caf\xe9")])
    elif kind == "gzip":
        import gzip
        await x.reply(200, gzip.compress(b'{"packed":true,"n":[1,2,3]}'), [("Content-Type", "application/json"), ("Content-Encoding", "gzip")])
    elif kind == "ws":
        return await websocket(x)
    elif kind == "ws-echo":
        return await websocket_echo(x)
    elif kind == "page":  # a file of this folder, for a browser
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.path.basename(rest)), "rb") as f:
            await x.reply(200, f.read(), [("Content-Type", "text/html; charset=utf-8")])
    elif kind == "dir":
        await static(x, rest)
    else:
        size, digest, kept = await x.body()
        report = {"method": x.method, "target": x.target, "headers": x.headers, "body_bytes": size, "body_sha256": digest,
                  "body": base64.b64encode(kept).decode(), "trailers": x.trailers}
        await x.reply(200, json.dumps(report).encode(), [("Content-Type", "application/json")])
    return True


async def static(x, path):
    await x.body()
    full = os.path.normpath(os.path.join(options.root or ".", path))
    if not full.startswith(os.path.abspath(options.root or ".")) or not os.path.isfile(full):
        return await x.reply(404, b"no such file", reason="Not Found")
    with open(full, "rb") as f:
        await x.reply(200, f.read(), [("Content-Type", "application/octet-stream")])


async def accept_websocket(x):
    key = x.header("sec-websocket-key") or ""
    accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
    await x.head("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Accept: {accept}")


async def websocket(x):
    await accept_websocket(x)
    while True:  # echoes raw octets: the test speaks the frames
        data = await x.reader.read(65536)
        if not data:
            return False
        await x.send(data)


async def websocket_echo(x):
    """Sends each message back without its mask, and a closing frame as the last one."""
    await accept_websocket(x)
    while True:
        first, length = await x.reader.readexactly(2)
        length &= 0x7F
        if length >= 126:
            length = int.from_bytes(await x.reader.readexactly(2 if length == 126 else 8), "big")
        mask = await x.reader.readexactly(4)
        payload = await x.reader.readexactly(length)
        payload = bytes(octet ^ mask[index & 3] for index, octet in enumerate(payload))
        if length < 126:
            size = bytes([length])
        else:
            size = b"\x7e" + length.to_bytes(2, "big") if length < 1 << 16 else b"\x7f" + length.to_bytes(8, "big")
        await x.send(bytes([first]) + size + payload)
        if first & 0xF == 8:
            return False


async def serve(reader, writer):
    try:
        while True:
            line = await reader.readline()
            if not line.strip():
                if not line:
                    break
                continue
            method, target, _ = line.decode("latin-1").split(" ", 2)
            headers = []
            while True:
                field = (await reader.readline()).decode("latin-1").rstrip("\r\n")
                if not field:
                    break
                name, _, value = field.partition(":")
                headers.append((name, value.strip(" \t")))
            x = Exchange(reader, writer, method, target, headers)
            if not await answer(x) or (x.header("connection") or "").lower() == "close":
                break
    except (Closed, ConnectionError, asyncio.IncompleteReadError, ValueError, ssl.SSLError):
        pass
    finally:
        try:
            writer.close()
        except Exception:
            pass


async def main():
    context = None
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.tls)
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context, limit=1 << 20)
    print(server.sockets[0].getsockname()[1], flush=True)
    asyncio.get_running_loop().run_in_executor(None, wait_for_parent)
    await server.serve_forever()


def wait_for_parent():
    sys.stdin.read()  # ends with the test that started us
    os._exit(0)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
parser.add_argument("--root", type=os.path.abspath)
options = parser.parse_args()
asyncio.run(main())
