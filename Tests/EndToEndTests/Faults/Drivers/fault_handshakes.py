#!/usr/bin/env python3
"""F25 and F26: TLS handshakes that break.

    --mode cut      the client's octets of each flight are cut at every --step octets, with FIN and with RST;
                    the same with a server's octets
    --mode odd      garbage, versions that are too old, a client that refuses the authority, no name, an address
                    as name, records of 100 octets, one octet at a time, --resumptions of one session
    --reload-every  SIGHUP to the daemon after so many handshakes
Good requests are made between them; each must be answered. Prints `wrong` and what is left behind.
"""
import collections
import os
import random
import signal
import socket
import ssl
import threading
import warnings

import fault_kit as kit


class Handshakes:
    def __init__(self):
        self.options = kit.options(
            __doc__, ("--mode", "cut"), ("--step", 40), ("--resumptions", 50), ("--repeat", 1), ("--reload-every", 0))
        self.server = kit.Server(self.serve, self.options.tls)
        self.cut_at, self.cut_mode = 0, "fin"
        self.cutting = kit.Server(self.serve_cut)
        self.context = ssl.create_default_context(cafile=self.options.ca)
        self.wrong, self.outcomes, self.count, self.reloads = [], collections.Counter(), 0, 0

    def serve(self, connection):
        while True:
            kit.read_until(connection, b"\r\n\r\n")
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    def serve_cut(self, connection):
        """Speaks TLS and ends after so many octets of its own."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.options.tls)
        session = context.wrap_bio(incoming, outgoing, server_side=True)
        left = self.cut_at
        while True:
            try:
                session.do_handshake()
                session.read(1)
                return  # The handshake was shorter, and the request is here.
            except ssl.SSLWantReadError:
                pass
            octets = outgoing.read()
            connection.sendall(octets[:left])
            left -= len(octets)
            if left <= 0:
                return kit.reset(connection) if self.cut_mode == "rst" else None
            octets = connection.recv(65536)
            if not octets:
                return None
            incoming.write(octets)

    def good(self):
        try:
            client = kit.tunnel(self.options, self.server.port)
            client.sendall(b"GET /good HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n\r\n" % self.server.port)
            octets = kit.read_until(client, b"ok")
            client.close()
            if not octets.endswith(b"ok"):
                self.wrong.append(f"good: {octets!r}")
        except (OSError, EOFError) as error:
            self.wrong.append(f"good: {error!r}")

    def open(self, port, host=b"localhost"):
        client = kit.connect(self.options.proxy)
        client.sendall(b"CONNECT %s:%d HTTP/1.1\r\nHost: %s\r\n\r\n" % (host, port, host))
        return client, kit.read_until(client, b"\r\n\r\n")

    def handshake(self, context, name="localhost", limit=None, piece=None, mode="fin", host=b"localhost"):
        """A handshake by hand; with a `limit` it ends after so many octets. How it ended."""
        client, _ = self.open(self.server.port, host)
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = context.wrap_bio(incoming, outgoing, server_hostname=name)
        sent, outcome = 0, None
        while outcome is None:
            try:
                session.do_handshake()
                outcome = "done"
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLError as error:
                outcome = error.reason or "error"
            octets = outgoing.read()
            if limit is not None and sent + len(octets) > limit:
                client.sendall(octets[: limit - sent])
                outcome = "cut"
                break
            sent += len(octets)
            for start in range(0, len(octets), piece or len(octets) or 1):
                client.sendall(octets[start:start + (piece or len(octets))])
            if outcome is None:
                # The proxy may be gone already.
                try:
                    received = client.recv(65536)
                except OSError:
                    received = b""
                if not received:
                    outcome = "closed"
                incoming.write(received)
        if mode == "rst":
            kit.reset(client)
        else:
            client.close()
        self.counted()
        self.outcomes[outcome] += 1
        self.sent = sent
        return outcome

    def counted(self):
        self.count += 1
        if self.options.reload_every and self.count % self.options.reload_every == 0:
            os.kill(self.options.pid, signal.SIGHUP)
            self.reloads += 1

    def cut_clients(self):
        assert self.handshake(self.context) == "done"
        for limit in range(0, self.sent, self.options.step):
            for mode in ("fin", "rst"):
                self.handshake(self.context, limit=limit, mode=mode)
                if self.count % 20 == 0:
                    self.good()

    def cut_servers(self):
        for self.cut_at in range(0, 1_400, self.options.step):
            for self.cut_mode in ("fin", "rst"):
                self.counted()
                try:
                    client = kit.tunnel(self.options, self.cutting.port)
                    client.sendall(b"GET / HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n\r\n" % self.cutting.port)
                    octets, _ = kit.read_to_end(client)
                    status = kit.Message(octets, False).status
                    self.outcomes[f"server cut: {status}"] += 1
                    if status == 200:
                        self.wrong.append(f"a server cut at {self.cut_at} gave {octets!r}")
                except (OSError, EOFError):
                    self.outcomes["server cut: no tunnel"] += 1

    def odd(self):
        chance = random.Random(1)
        for _ in range(20):
            client, _ = self.open(self.server.port)
            client.sendall(b"\x16\x03\x01" + chance.randbytes(chance.randint(1, 2_000)))
            try:
                client.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # It was sent away already.
            kit.read_to_end(client)
            client.close()
            self.counted()
        refusing = ssl.create_default_context()
        self.expect("refused authority", self.handshake(refusing), {"CERTIFICATE_VERIFY_FAILED"})
        old = ssl.create_default_context(cafile=self.options.ca)
        old.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            old.minimum_version = ssl.TLSVersion.TLSv1
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        self.expect("TLS 1.1", self.handshake(old), {"TLSV1_ALERT_PROTOCOL_VERSION", "closed"})
        unnamed = ssl.create_default_context(cafile=self.options.ca)
        unnamed.check_hostname = False
        self.expect("no name", self.handshake(unnamed, name=None), {"done"})
        self.expect("an address", self.handshake(self.context, name="127.0.0.1", host=b"127.0.0.1"), {"done"})
        self.expect("100 octets at a time", self.handshake(self.context, piece=100), {"done"})
        self.expect("1 octet at a time", self.handshake(self.context, piece=1), {"done"})
        self.resume()
        self.good()

    def expect(self, what, outcome, wanted):
        if outcome not in wanted:
            self.wrong.append(f"{what}: {outcome}")

    def resume(self):
        session, reused = None, 0
        for _ in range(self.options.resumptions):
            plain, _ = self.open(self.server.port)
            client = self.context.wrap_socket(plain, server_hostname="localhost", session=session)
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % self.server.port)
            kit.read_until(client, b"ok")
            reused += client.session_reused
            session = client.session
            client.close()
            self.counted()
        self.reused = reused

    def run(self):
        self.reused = 0
        self.good()
        self.warm_up()
        before = self.figures()
        for _ in range(self.options.repeat):
            if self.options.mode == "cut":
                self.cut_clients()
                self.cut_servers()
            else:
                self.odd()
        self.good()
        kit.until(lambda: kit.socket_count(self.options.pid) <= before["sockets"], 15)
        return {"handshakes": self.count, "wrong": self.wrong[:5], "wrong_count": len(self.wrong), "reused": self.reused,
                "reloads": self.reloads,
                "outcomes": self.outcomes, "before": before, "after": self.figures()}

    def warm_up(self):
        for limit in range(0, 400, 40):
            self.handshake(self.context, limit=limit)
            self.good()

    def figures(self):
        return {"sockets": kit.socket_count(self.options.pid), "kib": kit.resident_kib(self.options.pid)}


kit.finish(Handshakes().run())
