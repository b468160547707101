#!/usr/bin/env python3
"""Mixed traffic through the proxy for a long time, and what the proxy holds meanwhile.

    soak.py --pid PID --proxy PORT --origin PLAIN-PORT TLS-PORT --ca FILE --minutes N
            [--connections 16] [--pause SECONDS] [--samples FILE]

The traffic: planned requests, plain and intercepted, each answer checked octet for octet; bodies of
0 octets to 8 MiB both ways; pipelines; requests that must fail; clients that leave in the middle.
Each 10 seconds memory, descriptors and threads are read from /proc. A fifth of the time is warm-up;
what is held then must not rise by the end. Prints a table of figures, and ends with 1 where
something rises or an answer is wrong.
"""
import argparse
import asyncio
import os
import random
import socket
import statistics
import struct
import sys
import time
from collections import Counter

from load_client import Run

SAMPLE_SECONDS = 10
# What may be held at the end beyond what was held after the warm-up.
MEMORY_RISE_MAX = 0.05
DESCRIPTOR_RISE_MAX = 8
THREAD_RISE_MAX = 2
SIZES = [0, 1, 1_000, 65_536, 1_000_000, 8 << 20]


class Traffic:
    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + options.minutes * 60
        self.counts, self.problems = Counter(), []
        self.next_number = 0
        self.kinds = [self.planned] * 6 + [self.download, self.upload, self.pipeline, self.error, self.abort]

    async def worker(self, index):
        chance = random.Random(index)
        while time.monotonic() < self.end:
            kind = chance.choice(self.kinds)
            try:
                await asyncio.wait_for(kind(chance), 120)
                self.counts[kind.__name__] += 1
            except (OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
                self.problems.append(f"{kind.__name__}: {error!r}")
            await asyncio.sleep(self.options.pause)

    async def planned(self, chance):
        first = self.next_number
        self.next_number += 50
        batch = argparse.Namespace(**vars(self.options), first=first, count=50, seed="1", kill=None, after=0)
        run = Run(batch)
        await run.worker()
        self.counts["planned requests"] += len(run.ended)
        self.problems += run.wrong + run.failed

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

    def request(self, method, path, body=b""):
        authority = f"127.0.0.1:{self.options.origin[0]}"
        head = f"{method} http://{authority}{path} HTTP/1.1\r\nHost: {authority}\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body

    async def connect(self):
        return await asyncio.open_connection("127.0.0.1", self.options.proxy, limit=1 << 20)

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


def sample(pid):
    """Resident KiB, descriptors, threads."""
    with open(f"/proc/{pid}/status") as file:
        status = dict(line.split(":", 1) for line in file)
    resident = int(status["VmRSS"].split()[0])
    try:
        descriptors = len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:  # Only root sees which they are.
        descriptors = os.stat(f"/proc/{pid}/fd").st_size
    return resident, descriptors, int(status["Threads"])


async def watch(options, samples):
    begin = time.monotonic()
    while True:
        samples.append((time.monotonic() - begin, *sample(options.pid)))
        if options.samples:
            with open(options.samples, "a") as file:
                print(*(round(value, 1) for value in samples[-1]), sep="\t", file=file)
        await asyncio.sleep(SAMPLE_SECONDS)


def rise(points):
    """How much a line through the points rises from the first to the last: the median of the slopes
    between points half of all apart, which single peaks do not move."""
    half = len(points) // 2
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in zip(points, points[half:])]
    return statistics.median(slopes) * (points[-1][0] - points[0][0])


def verdict(samples):
    """Prints the figures; how many of the three rise."""
    settled = [each for each in samples if each[0] >= samples[-1][0] / 5]
    if len(settled) < 10:
        sys.exit("soak: too short for a verdict: two minutes at least")
    rising = 0
    print(f"{'':12}{'after warm-up':>15}{'median':>10}{'highest':>10}{'rise':>10}{'allowed':>10}")
    for column, name in enumerate(["KiB", "descriptors", "threads"], start=1):
        values = [each[column] for each in settled]
        allowed = [MEMORY_RISE_MAX * statistics.median(values), DESCRIPTOR_RISE_MAX, THREAD_RISE_MAX][column - 1]
        risen = rise([(each[0], each[column]) for each in settled])
        rising += risen > allowed
        print(f"{name:12}{values[0]:15}{statistics.median(values):10.0f}{max(values):10}{risen:10.1f}{allowed:10.1f}")
    return rising


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pid", type=int, required=True)
    parser.add_argument("--proxy", type=int, required=True)
    parser.add_argument("--origin", type=int, nargs=2, required=True)
    parser.add_argument("--ca", required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--pause", type=float, default=0.05)
    parser.add_argument("--samples")
    options = parser.parse_args()
    traffic, samples = Traffic(options), []
    idle = sample(options.pid)[1]
    watching = asyncio.create_task(watch(options, samples))
    await asyncio.gather(*[traffic.worker(index) for index in range(options.connections)])
    watching.cancel()
    for kind, count in sorted(traffic.counts.items()):
        print(f"{kind}: {count}")
    print(f"problems: {len(traffic.problems)} {traffic.problems[:5]}")
    rising = verdict(samples)
    print(f"descriptors before the traffic: {idle}, behind it: {sample(options.pid)[1]}")
    print("flat" if not rising else f"{rising} of three rise")
    sys.exit(1 if rising or traffic.problems else 0)


asyncio.run(main())
