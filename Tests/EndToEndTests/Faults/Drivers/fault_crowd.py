#!/usr/bin/env python3
"""F1, F2, F20: many clients at once.

    --mode idle     --count kept-alive clients that have asked once and say nothing more
    --mode tls      the same through interception, with a TLS connection to the server each
    --mode flood    --count clients at once, more than there are descriptors; all ask

Prints what a client costs (`kib_each`), the processor's share while all are idle, how long a new request takes
among them (`p99_ms`), and what is left when they are gone: at once, and when the daemon has had the time
(`--rest-s`) to see that it is at rest.
"""
import asyncio
import ssl
import time

import fault_kit as kit

CLIENTS_OF_AN_ADDRESS = 5_000


class Crowd:
    def __init__(self):
        self.options = kit.options(
            __doc__, ("--mode", "idle"), ("--count", 500), ("--idle-s", 2.0), ("--rest-s", 0.0))
        self.context = ssl.create_default_context(cafile=self.options.ca)
        self.clients = []

    async def serve(self, reader, writer):
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    async def listen(self):
        self.plain = await asyncio.start_server(self.serve, "127.0.0.1", 0, backlog=4096)
        self.plain_port = self.plain.sockets[0].getsockname()[1]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.options.tls)
        self.tls = await asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=context, backlog=4096)
        self.tls_port = self.tls.sockets[0].getsockname()[1]

    async def connect(self, number):
        source = (f"127.0.0.{2 + number // CLIENTS_OF_AN_ADDRESS}", 0)
        return await asyncio.open_connection("127.0.0.1", self.options.proxy, local_addr=source, limit=4096)

    async def ask(self, reader, writer, path="/"):
        writer.write(f"GET http://127.0.0.1:{self.plain_port}{path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        return await self.answer(reader)

    async def answer(self, reader):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        return int(head.split(b" ")[1]), await reader.readexactly(length)

    async def join_plain(self, number):
        reader, writer = await self.connect(number)
        status, _ = await self.ask(reader, writer)
        assert status == 200, status
        self.clients.append((reader, writer))

    async def join_tls(self, number):
        reader, writer = await self.connect(number)
        writer.write(b"CONNECT localhost:%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % self.tls_port)
        await reader.readuntil(b"\r\n\r\n")
        await writer.start_tls(self.context, server_hostname="localhost")
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % self.tls_port)
        status, _ = await self.answer(reader)
        assert status == 200, status
        self.clients.append((reader, writer))

    async def join_all(self, join, first, end):
        for start in range(first, end, 50):
            await asyncio.gather(*[join(n) for n in range(start, min(end, start + 50))])

    async def run(self):
        await self.listen()
        if self.options.mode == "flood":
            return await self.flood()
        join = self.join_tls if self.options.mode == "tls" else self.join_plain
        # The first ones make what all share.
        await self.join_all(join, 0, 100)
        resident = kit.resident_kib(self.options.pid)
        await self.join_all(join, 100, 100 + self.options.count)
        grown = kit.resident_kib(self.options.pid) - resident
        share = kit.idle_share(self.options.pid, self.options.idle_s)
        times = [await self.timed() for _ in range(300)]
        # Every tenth of them can go on.
        going_on = self.clients[::10]
        if self.options.mode == "idle":
            statuses = {(await self.ask(*client))[0] for client in going_on}
        else:
            statuses = {200}
        await self.leave_all()
        # Caches are full and the store's parts are open now. What a second crowd costs, it gives back.
        first = await self.rest(resident)
        if self.options.rest_s:
            await self.join_all(join, 0, 100 + self.options.count)
            await self.leave_all()
        at_once, second = kit.resident_kib(self.options.pid), await self.rest(first)
        return {"clients": self.options.count, "kib_each": grown / self.options.count, "idle_share": share,
                "p99_ms": sorted(times)[-3], "median_ms": sorted(times)[150], "statuses": sorted(statuses),
                "begin_kib": resident, "before_kib": first, "at_once_kib": at_once, "after_kib": second,
                "descriptors_after": kit.descriptor_count(self.options.pid)}

    async def leave_all(self):
        for _, writer in self.clients:
            writer.close()
        self.clients = []
        # Connections to servers stay in the pool for a while.
        for _ in range(500):
            if kit.descriptor_count(self.options.pid) < 700:
                break
            await asyncio.sleep(0.02)

    async def rest(self, resident):
        """What is resident when the daemon has had time to give back, in KiB."""
        end = time.monotonic() + self.options.rest_s
        while kit.resident_kib(self.options.pid) > resident and time.monotonic() < end:
            await asyncio.sleep(0.1)
        return kit.resident_kib(self.options.pid)

    async def timed(self):
        began = time.monotonic()
        reader, writer = await self.connect(0)
        await self.ask(reader, writer, "/new")
        taken = 1000 * (time.monotonic() - began)
        writer.close()
        return taken

    async def flood(self):
        """All at once; who is not served within the time goes away again."""
        done = []

        async def one(number):
            try:
                reader, writer = await self.connect(number)
            except OSError:
                return done.append("refused")
            try:
                status, _ = await asyncio.wait_for(self.ask(reader, writer), 3)
                done.append(status)
            except (OSError, asyncio.IncompleteReadError):
                done.append("closed")
            except asyncio.TimeoutError:
                done.append("not served")
            self.clients.append((reader, writer))

        resident, spent, began = kit.resident_kib(self.options.pid), *self.spent()
        await asyncio.gather(*[one(n) for n in range(self.options.count)])
        busy, end = self.spent()
        # All of them hold their connections, or wait for one: nothing is to be done.
        await asyncio.sleep(self.options.idle_s)
        idle, last = self.spent()
        for _, writer in self.clients:
            writer.close()
        recovered = time.monotonic()
        while True:
            try:
                reader, writer = await self.connect(0)
                status, _ = await asyncio.wait_for(self.ask(reader, writer, "/after"), 2)
                writer.close()
                if status == 200:
                    break
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
                pass
            if time.monotonic() - recovered > 30:
                break
        return {"clients": self.options.count, "served": done.count(200), "not_served": done.count("not served"),
                "closed": done.count("closed"), "others": sorted({str(d) for d in done} - {"200", "closed", "not served"}),
                "share_while_full": (idle - busy) / (last - end), "recovered_s": time.monotonic() - recovered,
                "grown_kib": kit.resident_kib(self.options.pid) - resident, "took_s": end - began}

    def spent(self):
        return kit.processor_seconds(self.options.pid), time.monotonic()


kit.finish(asyncio.run(Crowd().run()))
