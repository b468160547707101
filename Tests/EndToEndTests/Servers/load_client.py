#!/usr/bin/env python3
"""Sends planned requests through the proxy and checks each answer octet for octet.

    load_client.py --proxy PORT --origin PLAIN-PORT TLS-PORT --ca FILE [--first N] --count N
                   [--connections 32] [--seed SEED] [--kill PID --after N]

Prints one line of JSON: how many were `done`, what was `wrong`, which connections `failed`. With
--kill it ends that process when N requests are done, goes on until nothing answers any more, and
lists how long before the kill each request had ended (`ages`: number → nanoseconds).
"""
import argparse
import asyncio
import json
import os
import signal
import ssl
import time

from load_plan import Request, Response, chunked, sessions


class Wrong(Exception):
    pass


class Run:
    def __init__(self, options):
        self.options = options
        self.todo = iter(list(sessions(options.first, options.count, options.seed)))
        self.ended = {}
        # How long each took, from its first octet to its answer's last.
        self.seconds = []
        self.wrong, self.failed = [], []
        self.killed_at = None
        self.tls = ssl.create_default_context(cafile=options.ca)

    async def worker(self):
        for scheme, host, numbers in self.todo:
            if self.killed_at is not None:
                return
            try:
                await self.session(scheme, host, numbers)
            except (OSError, EOFError, asyncio.IncompleteReadError, ssl.SSLError) as error:
                self.failed.append(f"{scheme} session of {numbers[0]}: {error!r}")
            except Wrong as error:
                self.wrong.append(str(error))

    async def session(self, scheme, host, numbers):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.options.proxy, limit=1 << 20)
        try:
            if scheme == "https":
                authority = f"{host}:{self.options.origin[1]}"
                writer.write(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
                head = await reader.readuntil(b"\r\n\r\n")
                if b" 200 " not in head.split(b"\r\n")[0]:
                    raise Wrong(f"CONNECT {authority} was answered {head!r}")
                await writer.start_tls(self.tls, server_hostname=host)
            for number in numbers:
                await self.exchange(reader, writer, host, Request(number, self.options.seed))
        finally:
            writer.close()

    async def exchange(self, reader, writer, tunnel_host, request):
        port = self.options.origin[1 if tunnel_host else 0]
        authority = f"{tunnel_host or request.host}:{port}"
        target = request.target if tunnel_host else f"http://{authority}{request.target}"
        lines = [f"{request.method} {target} HTTP/1.1", f"Host: {authority}"]
        if request.content_type:
            lines.append(f"Content-Type: {request.content_type}")
            lines.append("Transfer-Encoding: chunked" if request.is_chunked else f"Content-Length: {len(request.body)}")
        body = chunked(request.body, 7000) if request.is_chunked else request.body
        began = time.monotonic()
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        status, octets = await self.response(reader)
        self.seconds.append(time.monotonic() - began)
        wanted = Response(request.number, self.options.seed)
        if (status, octets) != (wanted.status, wanted.body):
            raise Wrong(f"request {request.number} was answered {status} {octets[:200]!r}")
        self.done(request.number)

    async def response(self, reader):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        status = int(head.split(" ")[1])
        if "transfer-encoding: chunked" in head:
            body = b""
            while size := int(await reader.readuntil(b"\r\n"), 16):
                body += (await reader.readexactly(size + 2))[:-2]
            await reader.readexactly(2)
            return status, body
        if "content-length:" not in head:
            return status, b""
        return status, await reader.readexactly(int(head.split("content-length:")[1].split("\r\n")[0]))

    def done(self, number):
        if self.killed_at is not None:
            return
        self.ended[number] = time.monotonic_ns()
        if self.options.kill and len(self.ended) >= self.options.after:
            self.killed_at = time.monotonic_ns()
            os.kill(self.options.kill, signal.SIGKILL)

    def report(self):
        report = {"done": len(self.ended), "wrong": self.wrong[:5], "failed": self.failed[:5]}
        report["wrong_count"], report["failed_count"] = len(self.wrong), len(self.failed)
        if self.killed_at is not None:
            report["ages"] = {number: self.killed_at - at for number, at in self.ended.items()}
        return json.dumps(report)


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proxy", type=int, required=True)
    parser.add_argument("--origin", type=int, nargs=2, required=True)
    parser.add_argument("--ca", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--kill", type=int)
    parser.add_argument("--after", type=int, default=0)
    run = Run(parser.parse_args())
    await asyncio.gather(*[run.worker() for _ in range(run.options.connections)])
    print(run.report())


if __name__ == "__main__":
    asyncio.run(main())
