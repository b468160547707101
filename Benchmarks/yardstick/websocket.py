"""A WebSocket echo server, and clients that keep one message in flight each.

  websocket.py PORT     serves on a port of loopback
"""
import asyncio, base64, hashlib, re, sys, time

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
MASK = b"\x11\x22\x33\x44"


def frame_head(data):
    """The sizes of a frame's head and payload, and its opcode; None until enough of it is there."""
    if len(data) < 2:
        return None
    size, length = data[1] & 127, 2
    if size >= 126:
        length = 4 if size == 126 else 10
        if len(data) < length:
            return None
        size = int.from_bytes(data[2:length], "big")
    return length + (4 if data[1] & 128 else 0), size, data[0] & 15


def length_bytes(size, is_masked):
    bit = 128 if is_masked else 0
    return bytes([bit | size]) if size < 126 else bytes([bit | 126]) + size.to_bytes(2, "big")


def masked(data, mask=MASK):
    pattern = (mask * (len(data) // 4 + 1))[:len(data)]
    return (int.from_bytes(data, "big") ^ int.from_bytes(pattern, "big")).to_bytes(len(data), "big")


async def echo(reader, writer):
    request = await reader.readuntil(b"\r\n\r\n")
    key = re.search(rb"(?i)sec-websocket-key: *(\S+)", request).group(1)
    proof = base64.b64encode(hashlib.sha1(key + GUID).digest())
    writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Accept: " + proof + b"\r\n\r\n")
    held = b""
    while piece := await reader.read(1 << 18):
        held += piece
        while (head := frame_head(held)) and len(held) >= head[0] + head[1]:
            start, size, opcode = head
            payload = masked(held[start:start + size], held[start - 4:start])
            writer.write(bytes([0x80 | opcode]) + length_bytes(size, False) + payload)
            held = held[start + size:]
        await writer.drain()
    writer.close()


async def serve(port):
    await (await asyncio.start_server(echo, "127.0.0.1", port)).serve_forever()


async def load(port, origin, is_forward, size, connection_count, seconds):
    """Echoes, failures, and the time of each echo in seconds."""
    until, failed, times = time.monotonic() + seconds, 0, []

    async def client():
        nonlocal failed
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
            if is_forward:
                writer.write(f"CONNECT {origin} HTTP/1.1\r\nHost: {origin}\r\n\r\n".encode())
                if b" 200 " not in await reader.readuntil(b"\r\n\r\n"):
                    raise OSError("no tunnel")
            writer.write(f"GET /echo HTTP/1.1\r\nHost: {origin}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())
            if b" 101 " not in await reader.readuntil(b"\r\n\r\n"):
                raise OSError("no WebSocket")
            message = b"a" * size
            frame = b"\x81" + length_bytes(size, True) + MASK + masked(message)
            answer_size = size + len(length_bytes(size, False)) + 1
            while time.monotonic() < until:
                began = time.perf_counter()
                writer.write(frame)
                answer = await asyncio.wait_for(reader.readexactly(answer_size), 10)
                failed += not answer.endswith(message)
                times.append(time.perf_counter() - began)
            writer.close()
        except (OSError, EOFError, asyncio.TimeoutError):
            failed += 1

    await asyncio.gather(*(client() for _ in range(connection_count)))
    return len(times), failed, times


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
