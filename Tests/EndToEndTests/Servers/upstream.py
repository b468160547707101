"""A proxy that others go through: HTTP, SOCKS 5 and 4a on one port.

upstream.py [--auth basic|sha-256|md5] [--header] [--tls CERT KEY] [--refuse STATUS] [--names TO]

Credentials are me:secret. --header expects a PROXY header first. --names connects to this address
whatever name is asked for, so that names need not exist. Prints its port, then a line for each
request: what it asks for, its scheme of credentials, its hop count, and the PROXY header.
"""

import argparse
import asyncio
import base64
import hashlib
import re
import ssl

parser = argparse.ArgumentParser()
parser.add_argument("--auth", default="")
parser.add_argument("--header", action="store_true")
parser.add_argument("--tls", nargs=2)
parser.add_argument("--refuse", type=int, default=0)
parser.add_argument("--names", default="")
wanted = parser.parse_args()
nonces = 0


def say(*words):
    print(*words, flush=True)


def challenge():
    global nonces
    if wanted.auth == "basic":
        return 'Basic realm="up"'
    nonces += 1
    name = "SHA-256" if wanted.auth == "sha-256" else "MD5"
    return f'Digest realm="up", nonce="n{nonces}", qop="auth", algorithm={name}'


def is_accepted(method, value):
    if wanted.auth == "basic":
        return value == "Basic " + base64.b64encode(b"me:secret").decode()
    if not value.startswith("Digest "):
        return False
    part = dict(re.findall(r'(\w+)="?([^",]*)"?', value[7:]))

    def hashed(text):
        kind = hashlib.sha256 if wanted.auth == "sha-256" else hashlib.md5
        return kind(text.encode()).hexdigest()

    secret = hashed(f"me:{part['realm']}:secret")
    action = hashed(f"{method}:{part['uri']}")
    middle = ":".join([part["nonce"], part["nc"], part["cnonce"], part["qop"]])
    return part["response"] == hashed(f"{secret}:{middle}:{action}")


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except (OSError, RuntimeError, NotImplementedError):
        writer.close()


async def join(reader, writer, host, port, answer, first=b""):
    to, out = await asyncio.open_connection(wanted.names or host, port)
    writer.write(answer)
    out.write(first)
    await asyncio.gather(pump(reader, out), pump(to, writer))
    out.close()
    writer.close()


async def socks5(reader, writer, header):
    methods = await reader.readexactly((await reader.readexactly(1))[0])
    user = "-"
    if wanted.auth == "basic":
        if 2 not in methods:
            writer.write(b"\x05\xff")
            return writer.close()
        writer.write(b"\x05\x02")
        await reader.readexactly(1)
        user = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        secret = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        if (user, secret) != ("me", "secret"):
            writer.write(b"\x01\x01")
            return writer.close()
        writer.write(b"\x01\x00")
    else:
        writer.write(b"\x05\x00")
    kind = (await reader.readexactly(4))[3]
    if kind == 3:
        host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
    else:
        host = ".".join(str(byte) for byte in await reader.readexactly(4))
    port = int.from_bytes(await reader.readexactly(2), "big")
    say(f"SOCKS5 {host}:{port} {user} - {header}")
    if wanted.refuse:
        writer.write(bytes([5, wanted.refuse, 0, 1, 0, 0, 0, 0, 0, 0]))
        return writer.close()
    await join(reader, writer, host, port, bytes([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))


async def socks4(reader, writer, header):
    rest = await reader.readexactly(7)
    port = int.from_bytes(rest[1:3], "big")
    user = (await reader.readuntil(b"\0"))[:-1].decode()
    host = ".".join(str(byte) for byte in rest[3:7])
    if rest[3:6] == b"\0\0\0":
        host = (await reader.readuntil(b"\0"))[:-1].decode()
    say(f"SOCKS4 {host}:{port} {user} - {header}")
    await join(reader, writer, host, port, bytes([0, 90, 0, 0, 0, 0, 0, 0]))


async def http(reader, writer, first, header):
    while True:
        head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first = b""
        line, *lines = head.split("\r\n")[:-2]
        fields = {}
        for one in lines:
            name, _, value = one.partition(":")
            fields[name.lower()] = value.strip()
        method, target, _ = line.split(" ")
        value = fields.get("proxy-authorization", "-")
        hops = fields.get("proxyd-hops", "-")
        say(f"{method} {target} {value.split(' ')[0]} {hops} {header}")
        if wanted.auth and not is_accepted(method, value):
            fields = f"Proxy-Authenticate: {challenge()}\r\nContent-Length: 2\r\n"
            writer.write(f"HTTP/1.1 407 No\r\n{fields}Connection: close\r\n\r\nno".encode())
            return writer.close()
        if wanted.refuse:
            writer.write(f"HTTP/1.1 {wanted.refuse} No\r\nContent-Length: 0\r\n\r\n".encode())
            return writer.close()
        if method == "CONNECT":
            host, _, port = target.rpartition(":")
            accepted = b"HTTP/1.1 200 Yes\r\n\r\n"
            return await join(reader, writer, host.strip("[]"), int(port), accepted)
        place = re.match(r"http://([^/:]+):?(\d*)(.*)", target)
        host, port, path = place[1], int(place[2] or 80), place[3] or "/"
        to, out = await asyncio.open_connection(wanted.names or host, port)
        kept = [one for one in lines if not one.lower().startswith(("proxy", "connection"))]
        sent = [f"{method} {path} HTTP/1.1", *kept, "Connection: close", "", ""]
        out.write("\r\n".join(sent).encode("latin-1"))
        count = int(fields.get("content-length", "0"))
        if count:
            out.write(await reader.readexactly(count))
        await pump(to, writer)
        out.close()
        return writer.close()


async def serve(reader, writer):
    header = "-"
    try:
        if wanted.header:
            start = await reader.readexactly(12)
            if start.startswith(b"PROXY "):
                line = (start + await reader.readuntil(b"\r\n")).decode()
                header = line.strip().replace(" ", ",")
            else:
                rest = await reader.readexactly(4)
                block = await reader.readexactly(int.from_bytes(rest[2:4], "big"))
                header = f"v2,{rest[0]:02x},{rest[1]:02x}," + ".".join(map(str, block[:4]))
        first = await reader.readexactly(1)
        if first == b"\x05":
            await socks5(reader, writer, header)
        elif first == b"\x04":
            await socks4(reader, writer, header)
        else:
            await http(reader, writer, first, header)
    except (OSError, asyncio.IncompleteReadError):
        writer.close()


async def main():
    context = None
    if wanted.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*wanted.tls)
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    say(server.sockets[0].getsockname()[1])
    await server.serve_forever()


asyncio.run(main())
