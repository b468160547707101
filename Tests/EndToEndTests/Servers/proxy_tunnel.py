"""A stream through a tunnel of a proxy, for clients of Python's asyncio that know no proxies."""
import asyncio, socket


async def open_tunnel(proxy_port, port):
    """A socket to the server's port, as CONNECT makes it."""
    loop = asyncio.get_running_loop()
    made = socket.socket()
    made.setblocking(False)
    await loop.sock_connect(made, ("127.0.0.1", proxy_port))
    await loop.sock_sendall(made, f"CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += await loop.sock_recv(made, 1)
    if not head.startswith(b"HTTP/1.1 200 "):
        raise SystemExit(head.decode())
    return made
