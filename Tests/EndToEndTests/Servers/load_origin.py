#!/usr/bin/env python3
"""The origin of the load tests, on every address of this machine.

    load_origin.py --seed SEED [--tls CERT KEY]     prints "PLAIN-PORT TLS-PORT"

It checks each planned request octet for octet before it answers, and keeps uploads waiting:
    POST /held/NAME      is not read until /release/NAME is asked; answers how much came
    GET  /release/NAME   lets it go on; answers how much had been read by then
    GET  /taken/NAME     answers how much of the response of /give/NAME was taken so far
    GET  /give/NAME/N    sends N octets as fast as they are taken
    GET  /echo           answers 101, and sends back what comes from then on
"""
import argparse
import asyncio
import os
import re
import ssl
import sys

from load_plan import Request, Response

held, given = {}, {}
BLOCK = b"0123456789abcdef" * 4096


class Origin(asyncio.Protocol):
    def __init__(self):
        self.buffer = bytearray()
        self.chunks = None
        self.upload = None
        self.is_upgraded = False
        self.left = 0
        self.can_write = asyncio.Event()
        self.can_write.set()

    def connection_made(self, transport):
        self.transport = transport

    def pause_writing(self):
        self.can_write.clear()

    def resume_writing(self):
        self.can_write.set()

    def data_received(self, data):
        if self.is_upgraded:
            return self.transport.write(data)
        if self.upload is not None:
            return self.take_upload(data)
        self.buffer += data
        while (message := self.next_message()) is not None:
            self.answer(*message)

    def connection_lost(self, error):
        self.can_write.set()

    def next_message(self):
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return None
        head = bytes(self.buffer[:end]).decode("latin-1")
        method, target, _ = head.split("\r\n", 1)[0].split(" ")
        if target.startswith("/held/"):
            return self.begin_upload(head, target, end + 4)
        if re.search(r"(?im)^transfer-encoding: *chunked", head):
            decoded = dechunk(self.buffer, end + 4)
            if decoded is None:
                return None
            body, stop = decoded
        else:
            length = re.search(r"(?im)^content-length: *(\d+)", head)
            stop = end + 4 + int(length.group(1) if length else 0)
            if len(self.buffer) < stop:
                return None
            body = bytes(self.buffer[end + 4 : stop])
        del self.buffer[:stop]
        return method, target, body

    def answer(self, method, target, body):
        kind, name, *rest = (target[1:] + "/").split("/")
        if kind == "load":
            number = int(name.split("?")[0])
            wanted = Request(number, options.seed)
            if (method, target, body) != (wanted.method, wanted.target, wanted.body):
                return self.reply(f"request {number} came wrong", 599)
            self.transport.write(Response(number, options.seed).octets())
        elif kind == "release":
            upload = held[name]
            upload.transport.resume_reading()
            self.reply(str(upload.upload))
        elif kind == "taken":
            self.reply(str(given.get(name, 0)))
        elif kind == "echo":
            self.upgrade()
        elif kind == "give":
            asyncio.ensure_future(self.give(name, int(rest[0])))
        else:
            self.reply("ok")

    def reply(self, text, status=200):
        self.transport.write(f"HTTP/1.1 {status} Said\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())

    def upgrade(self):
        """The key of the answer is not made: proxies do not look at it."""
        self.is_upgraded = True
        self.transport.write(b"HTTP/1.1 101 Echo\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n" + self.buffer)
        self.buffer.clear()

    async def give(self, name, left):
        self.transport.write(f"HTTP/1.1 200 OK\r\nContent-Length: {left}\r\n\r\n".encode())
        while left and not self.transport.is_closing():
            await self.can_write.wait()
            block = BLOCK[: min(left, len(BLOCK))]
            self.transport.write(block)
            left -= len(block)
            # What the kernel has, without what waits here for it.
            given[name] = given.get(name, 0) + len(block)

    def begin_upload(self, head, target, start):
        self.left = int(re.search(r"(?im)^content-length: *(\d+)", head).group(1))
        self.upload = 0
        held[target.split("/")[2]] = self
        self.transport.pause_reading()
        rest = bytes(self.buffer[start:])
        self.buffer.clear()
        self.take_upload(rest)
        return None

    def take_upload(self, data):
        self.upload += len(data)
        if self.upload >= self.left:
            size, self.upload = self.upload, None
            self.reply(str(size))


def dechunk(octets, start):
    """The content and where it ends; None while it is incomplete."""
    body = bytearray()
    while True:
        line = octets.find(b"\r\n", start)
        if line < 0:
            return None
        size = int(bytes(octets[start:line]), 16)
        stop = line + 2 + size + 2
        if len(octets) < stop:
            return None
        body += octets[line + 2 : stop - 2]
        start = stop
        if size == 0:
            return bytes(body), start


async def main():
    loop = asyncio.get_running_loop()
    plain = await loop.create_server(Origin, "0.0.0.0", 0, backlog=1024)
    ports = [plain.sockets[0].getsockname()[1]]
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.tls)
        secure = await loop.create_server(Origin, "0.0.0.0", 0, ssl=context, backlog=1024)
        ports.append(secure.sockets[0].getsockname()[1])
    print(*ports, flush=True)
    # Ends with the test that started it.
    await loop.run_in_executor(None, sys.stdin.read)
    os._exit(0)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--seed", default="1")
parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
options = parser.parse_args()
asyncio.run(main())
