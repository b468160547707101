#!/usr/bin/env python3
"""A client and a server of the package `websockets` that talk through a proxy.

    websocket_talk.py PROXY_PORT REPORT FORM [CERT KEY CA]      FORM: none, deflate, small, fresh

Prints "open" when all is said and the connection is open, closes it when standard input ends, and prints "closed". Before
either, the file REPORT has [[direction, kind, base64, is_fragmented], ...], in each direction in its order. What one side
sent is compared here with what the other got.
"""
import asyncio, base64, json, random, ssl, sys

import websockets
from proxy_tunnel import open_tunnel
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory, ServerPerMessageDeflateFactory

FORMS = {
    "none": (None, None),
    "deflate": ("deflate", None),
    "small": (None, {"server_max_window_bits": 9, "client_max_window_bits": 9}),
    "fresh": (None, {"server_no_context_takeover": True, "client_no_context_takeover": True}),
}
proxy_port, report_path, form = int(sys.argv[1]), sys.argv[2], sys.argv[3]
certificate = sys.argv[4:7]
compression, parameters = FORMS[form]
said = {"to_server": [], "to_client": []}
got = {"to_server": [], "to_client": []}


def texts(chance):
    yield ""
    yield "Grüße, 日本語 🙂"
    for size in (1, 125, 126, 65_535, 65_536, 100_000):
        yield "".join(chance.choices("abc défg\n{}[]\":,0123", k=size))
    for number in range(40):
        yield json.dumps({"number": number, "text": "the same words each time"})


def binaries(chance):
    for size in (0, 1, 1_000, 70_000):
        yield chance.randbytes(size)
    yield bytes(1 << 20)
    yield chance.randbytes((1 << 20) + 12_345)


async def say(socket, direction, message):
    """Sends a message, in fragments where it is a list."""
    whole = message if not isinstance(message, list) else type(message[0])().join(message)
    kind = "text" if isinstance(whole, str) else "binary"
    octets = whole.encode() if isinstance(whole, str) else whole
    said[direction].append([kind, octets, isinstance(message, list)])
    await socket.send(message)


async def ping(socket, direction, payload):
    back = "to_client" if direction == "to_server" else "to_server"
    said[direction].append(["ping", payload, False])
    said[back].append(["pong", payload, False])
    await (await socket.ping(payload))


async def hear(socket, direction, count):
    for _ in range(count):
        message = await socket.recv()
        got[direction].append(message.encode() if isinstance(message, str) else message)


async def serve(socket):
    chance = random.Random(2)
    try:
        await hear(socket, "to_server", 1)
        for message in texts(chance):
            await say(socket, "to_client", message)
        await hear(socket, "to_server", 1)
        await ping(socket, "to_client", b"from the server")
        for message in binaries(chance):
            await say(socket, "to_client", message)
        while True:
            await hear(socket, "to_server", 1)
    except websockets.ConnectionClosed:
        pass


def report(word):
    for direction in said:
        data = [octets for kind, octets, _ in said[direction] if kind in ("text", "binary")]
        if data != got[direction]:
            raise SystemExit(f"{direction}: what was sent is not what came")
    messages = [
        [direction, kind, base64.b64encode(octets).decode(), fragmented]
        for direction, all in said.items() for kind, octets, fragmented in all
    ]
    with open(report_path, "w") as file:
        json.dump(messages, file)
    print(word, flush=True)


async def main():
    common = {"ping_interval": None, "max_size": None, "max_queue": None, "compression": compression}
    server_tls = client_tls = None
    if certificate:
        server_tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server_tls.load_cert_chain(certificate[0], certificate[1])
        client_tls = ssl.create_default_context(cafile=certificate[2])
    server_extensions = client_extensions = None
    if parameters is not None:
        server_extensions = [ServerPerMessageDeflateFactory(**parameters)]
        client_extensions = [ClientPerMessageDeflateFactory(**parameters)]
    async with websockets.serve(
        serve, "localhost", 0, ssl=server_tls, extensions=server_extensions, family=2, **common
    ) as server:
        port = server.sockets[0].getsockname()[1]
        url = f"{'wss' if certificate else 'ws'}://localhost:{port}/talk/{form}"
        extra = {"ssl": client_tls, "server_hostname": "localhost"} if certificate else {}
        made = await open_tunnel(proxy_port, port)
        async with websockets.connect(url, sock=made, extensions=client_extensions, **extra, **common) as client:
            if bool(client.extensions) != (form != "none"):
                raise SystemExit(f"agreed upon {client.extensions}")
            chance = random.Random(1)
            await say(client, "to_server", "begin")
            await hear(client, "to_client", len(list(texts(random.Random(0)))))
            await ping(client, "to_server", b"\x00\xff")
            for message in texts(chance):
                if message == "":
                    await say(client, "to_server", "go on")
                    await hear(client, "to_client", len(list(binaries(random.Random(0)))))
                await say(client, "to_server", message)
            await say(client, "to_server", ["in ", "three ", "fragments"])
            await say(client, "to_server", [chance.randbytes(100_000), chance.randbytes(10)])
            for message in binaries(chance):
                await say(client, "to_server", message)
            await ping(client, "to_server", b"the last")
            report("open")
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
            code = (1000).to_bytes(2, "big")
            said["to_server"].append(["close", code + b"that is all", False])
            said["to_client"].append(["close", code + b"that is all", False])
            await client.close(1000, "that is all")
    report("closed")


asyncio.run(main())
