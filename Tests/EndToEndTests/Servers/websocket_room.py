#!/usr/bin/env python3
"""A server of WebSockets of the package `websockets` that writes down what it hears, and a first client.

    websocket_room.py PROXY_PORT FOLDER FORM      FORM: none, deflate

The client says its lines through a tunnel of the proxy. For each connection that is over the server writes FOLDER/NUMBER,
[[kind, base64, is_ahead], ...], and prints "NUMBER CODE". `is_ahead` says whether the client went on without waiting for
the answers to what came before. The server greets; it answers "twice" twice, "bye" by closing with 4001, text that begins
with "quiet" not at all, and other messages once.
"""
import asyncio, base64, json, sys

from proxy_tunnel import open_tunnel
from websockets.exceptions import ConnectionClosed
from websockets.legacy.client import connect
from websockets.legacy.server import serve

proxy_port, folder, form = int(sys.argv[1]), sys.argv[2], sys.argv[3]
common = {"ping_interval": None, "max_size": None, "compression": "deflate" if form == "deflate" else None}
count = 0


def answers(message):
    if isinstance(message, str) and message.startswith("quiet"):
        return []
    return [message, message] if message == "twice" else [message]


async def room(guest, path):
    global count
    count += 1
    number, heard = count, []
    try:
        await guest.send("welcome to " + path)
        while True:
            message = await guest.recv()
            kind = "text" if isinstance(message, str) else "binary"
            octets = message.encode() if isinstance(message, str) else message
            heard.append([kind, base64.b64encode(octets).decode(), False])
            # Whatever the client sent before it had the answer is here before this pong.
            await (await guest.ping())
            heard[-1][2] = len(guest.messages) > 0
            if message == "bye":
                await guest.close(4001, "as you wish")
            for answer in answers(message):
                await guest.send(answer)
    except ConnectionClosed:
        pass
    await guest.wait_closed()
    with open(f"{folder}/{number}", "w") as file:
        json.dump(heard, file)
    print(number, guest.close_code, flush=True)


async def talk(port):
    made = await open_tunnel(proxy_port, port)
    url = f"ws://localhost:{port}/room?a=1"
    async with connect(url, sock=made, subprotocols=["talk"], extra_headers={"X-Own": "kept"}, **common) as client:
        await client.recv()
        for message in ["Grüße 🙂", "twice", bytes(range(256)) * 300, "", "quiet one", "quiet two", "x" * 70_000]:
            await client.send(message)
            for _ in answers(message):
                await client.recv()
        await client.close(3_000, "that is all")


async def main():
    async with serve(room, "localhost", 0, family=2, subprotocols=["talk"], **common) as server:
        port = server.sockets[0].getsockname()[1]
        await talk(port)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
