#!/usr/bin/env python3
"""Mixed traffic through a daemon for a long time, and what the daemon holds meanwhile.

    soak.py --proxyd PROGRAM --data FOLDER --config FILE --certificate FILE --origin PLAIN-PORT TLS-PORT
            --minutes N [--kill-minutes N] [--rate N] [--connections 16] [--pause SECONDS] [--samples FILE]

The traffic: planned requests, plain and intercepted, each answer checked octet for octet, --rate of them a
second at most; bodies of 0 octets to 8 MiB both ways; pipelines; upgraded connections; requests that must
fail; clients that leave in the middle. Each --kill-minutes the daemon is killed and started again, and must
have everything that it had told as stored. Each 10 seconds memory, descriptors and threads are read from
/proc. The first fifth after each start is warm-up; what is held then must not rise. Prints a table of
figures and how much longer requests take by the end, and ends with 1 where something that is held rises,
or something is lost or wrong.
"""
import argparse
import asyncio
import base64
import os
import random
import socket
import struct
import sys
import time
from collections import Counter

from load_client import Run
from soak_lives import Lives
from soak_verdict import Samples

BATCH_COUNT = 50
SIZES = [0, 1, 1_000, 65_536, 1_000_000, 8 << 20]


class Traffic:
    def __init__(self, options, lives, samples):
        self.options, self.lives, self.samples = options, lives, samples
        self.end = time.monotonic() + options.minutes * 60
        self.counts, self.problems = Counter(), []
        self.next_number = 0
        self.next_batch_at = 0
        self.kinds = [self.planned] * 6 + [
            self.download, self.upload, self.pipeline, self.upgrade, self.error, self.abort]

    async def worker(self, index):
        chance = random.Random(index)
        while time.monotonic() < self.end:
            kind = chance.choice(self.kinds)
            life = self.lives.number
            try:
                await asyncio.wait_for(kind(chance), 120)
                self.counts[kind.__name__] += 1
            except (OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
                self.failed(life, f"{kind.__name__}: {error!r}")
            await asyncio.sleep(self.options.pause)

    def failed(self, life, text):
        """What a kill cuts short is no problem."""
        if self.lives.number == life:
            self.problems.append(text)
        else:
            self.counts["cut by a kill"] += 1

    async def planned(self, chance):
        await self.turn()
        life = self.lives.number
        first = self.next_number
        self.next_number += BATCH_COUNT
        run = Run(argparse.Namespace(
            proxy=self.lives.port, ca=self.lives.authority, origin=self.options.origin, first=first,
            count=BATCH_COUNT, seed="1", kill=None, after=0))
        await run.worker()
        self.counts["planned requests"] += len(run.ended)
        self.samples.took(run.seconds)
        self.problems += run.wrong
        for text in run.failed:
            self.failed(life, text)

    async def turn(self):
        """Waits until the rate allows another batch."""
        if self.options.rate:
            at = max(time.monotonic(), self.next_batch_at)
            self.next_batch_at = at + BATCH_COUNT / self.options.rate
            await asyncio.sleep(at - time.monotonic())

    async def upgrade(self, chance):
        """A connection that becomes a WebSocket's, as far as a proxy can tell: what is sent comes back."""
        reader, writer = await self.connect()
        try:
            key = base64.b64encode(chance.randbytes(16)).decode()
            fields = ["Connection: Upgrade", "Upgrade: websocket", f"Sec-WebSocket-Key: {key}"]
            writer.write(self.request("GET", "/echo", fields=fields))
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 101 "):
                raise ValueError(f"an upgrade is answered {head!r}")
            for _ in range(chance.randint(1, 20)):
                message = chance.randbytes(chance.choice([6, 131, 70_000]))
                writer.write(message)
                if await reader.readexactly(len(message)) != message:
                    raise ValueError("an upgraded connection changes what it carries")
        finally:
            writer.close()

    async def download(self, chance):
        size = chance.choice(SIZES)
        _, body = await self.ask([self.request("GET", f"/give/soak/{size}")])
        if len(body) != size:
            raise ValueError(f"{len(body)} octets of {size}")

    async def upload(self, chance):
        body = bytes(chance.choice(SIZES))
        status, _ = await self.ask([self.request("POST", "/taken-in", body)])
        if status != 200:
            raise ValueError(f"an upload is answered {status}")

    async def pipeline(self, chance):
        count = chance.randint(2, 20)
        requests = [self.request("GET", f"/give/soak/{index}") for index in range(count)]
        reader, writer = await self.connect()
        try:
            writer.write(b"".join(requests))
            for index in range(count):
                _, body = await self.response(reader)
                if len(body) != index:
                    raise ValueError(f"answer {index} of a pipeline has {len(body)} octets")
        finally:
            writer.close()

    async def error(self, chance):
        octets, wanted = chance.choice([
            (b"GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 502),
            (b"CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 502),
            (b"GET http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            (b"GET / HTTP/9.9\r\n\r\n", 505),
        ])
        status, _ = await self.ask([octets])
        if status != wanted:
            raise ValueError(f"{octets[:40]!r} is answered {status}")

    async def abort(self, chance):
        reader, writer = await self.connect()
        writer.write(self.request("GET", f"/give/soak/{64 << 20}"))
        await reader.readexactly(chance.randint(1, 200_000))
        # A reset, as of a program that was killed with octets unread.
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()

    def request(self, method, path, body=b"", fields=()):
        authority = f"127.0.0.1:{self.options.origin[0]}"
        lines = [f"{method} http://{authority}{path} HTTP/1.1", f"Host: {authority}", f"Content-Length: {len(body)}"]
        return "\r\n".join([*lines, *fields, "", ""]).encode() + body

    async def connect(self):
        return await asyncio.open_connection("127.0.0.1", self.lives.port, limit=1 << 20)

    async def ask(self, requests):
        reader, writer = await self.connect()
        try:
            writer.write(b"".join(requests))
            return await self.response(reader)
        finally:
            writer.close()

    async def response(self, reader):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head.split("content-length:")[1].split("\r\n")[0]) if "content-length:" in head else 0
        return int(head.split(" ")[1]), await reader.readexactly(length)


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proxyd", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--config", required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--origin", type=int, nargs=2, required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--kill-minutes", type=float, default=0)
    parser.add_argument("--rate", type=float, default=0)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--pause", type=float, default=0.05)
    parser.add_argument("--samples")
    options = parser.parse_args()
    lives = Lives(options)
    try:
        sys.exit(0 if await soak(options, lives) else 1)
    finally:
        lives.stop()


async def soak(options, lives):
    samples = Samples(lives, options.samples)
    traffic = Traffic(options, lives, samples)
    idle = samples.now().descriptors
    background = [asyncio.create_task(samples.watch()), asyncio.create_task(lives.kill_often())]
    await asyncio.gather(*[traffic.worker(index) for index in range(options.connections)])
    for task in background:
        task.cancel()
    problems = traffic.problems + lives.problems
    for kind, count in sorted(traffic.counts.items()):
        print(f"{kind}: {count}")
    print(f"problems: {len(problems)} {problems[:5]}")
    if lives.number:
        print(f"kills: {lives.number}; told as stored before one, and looked for after it: {lives.looked_for}")
    rising = samples.verdict()
    print(f"descriptors before the traffic: {idle}, behind it: {samples.now().descriptors}")
    print("flat" if not rising else f"not flat: {', '.join(rising)}")
    return not rising and not problems


asyncio.run(main())
