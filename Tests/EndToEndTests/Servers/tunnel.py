"""Listens and carries each connection through a tunnel of a proxy, for programs that know no
proxies: tunnel.py PROXY-PORT TARGET-PORT. Prints the port it listens on."""

import socket
import sys
import threading

proxy_port, target_port = int(sys.argv[1]), int(sys.argv[2])


def copy(source, destination):
    try:
        while octets := source.recv(65536):
            destination.sendall(octets)
        destination.shutdown(socket.SHUT_WR)
    except OSError:
        source.close()
        destination.close()


def serve(client):
    proxy = socket.create_connection(("127.0.0.1", proxy_port))
    proxy.sendall(f"CONNECT localhost:{target_port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        octet = proxy.recv(1)
        if not octet:
            client.close()
            return
        head += octet
    threading.Thread(target=copy, args=(client, proxy), daemon=True).start()
    copy(proxy, client)


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    connection = listener.accept()[0]
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
