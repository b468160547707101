"""What the drivers of the fault matrix share: sockets, figures of a process, a server that a test scripts."""
import argparse
import json
import os
import socket
import ssl
import struct
import threading
import time


def options(description, *arguments):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proxy", type=int, required=True)
    parser.add_argument("--pid", type=int, required=True)
    parser.add_argument("--ca", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    parser.add_argument("--buffer", type=int, default=0, help="octets of each socket's buffers; 0 for the kernel's")
    for name, default in arguments:
        parser.add_argument(name, type=type(default), default=default)
    found = parser.parse_args()
    global buffer
    buffer = found.buffer
    return found


buffer = 0


def narrow(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def descriptor_count(pid):
    """The daemon shows its descriptors to root only; to others the kernel tells their number, from 6.2 on."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:
        return os.stat(f"/proc/{pid}/fd").st_size


def socket_count(pid):
    """What connections leave behind; files of the store are opened when there is something for them."""
    count = 0
    if not os.access(f"/proc/{pid}/fd", os.R_OK):
        return descriptor_count(pid)
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            count += os.readlink(f"/proc/{pid}/fd/{name}").startswith("socket:")
        except OSError:
            pass
    return count


def thread_count(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def connect(port, timeout=30):
    connection = socket.create_connection(("127.0.0.1", port), timeout=timeout)
    narrow(connection)
    return connection


def reset(connection):
    """Closes with RST: what was not sent yet is thrown away."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass
    connection.close()


def read_until(connection, end, octets=b""):
    while end not in octets:
        piece = connection.recv(65536)
        if not piece:
            raise EOFError(octets)
        octets += piece
    return octets


class Message:
    """A response as a client has it: `is_whole` only where its framing says so."""

    def __init__(self, octets, ended_cleanly):
        head, found, rest = octets.partition(b"\r\n\r\n")
        self.octets, self.status, self.body, self.is_whole = octets, None, b"", False
        if not found:
            return
        self.head = head.decode("latin-1").lower()
        self.status = int(self.head.split(" ")[1])
        if "transfer-encoding: chunked" in self.head:
            self.dechunk(rest)
        elif "content-length: " in self.head:
            length = int(self.head.split("content-length: ")[1].split("\r\n")[0])
            self.body = rest[:length]
            self.is_whole = len(rest) >= length
        else:
            self.body, self.is_whole = rest, ended_cleanly

    def dechunk(self, rest):
        while True:
            line, found, rest = rest.partition(b"\r\n")
            if not found:
                return
            size = int(line.split(b";")[0], 16)
            if size == 0:
                self.is_whole = (b"\r\n" + rest).find(b"\r\n\r\n") >= 0
                return
            self.body += rest[:size]
            if len(rest) < size + 2:
                return
            rest = rest[size + 2:]


def read_to_end(connection):
    """Everything up to the end, and whether that end was a clean one."""
    octets = b""
    try:
        while piece := connection.recv(65536):
            octets += piece
    except (ConnectionResetError, ssl.SSLError):
        return octets, False
    return octets, True


class Server:
    """Accepts, and runs `serve(connection)` for each connection on a thread of its own. TLS is spoken there
    and not when accepting, where one half-open client would stall all others."""

    def __init__(self, serve, tls=None):
        self.serve = serve
        self.context = None
        if tls:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*tls)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port = self.listener.getsockname()[1]
        self.open_count = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.run, args=[connection], daemon=True).start()

    def run(self, connection):
        with self.lock:
            self.open_count += 1
        try:
            narrow(connection)
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True, suppress_ragged_eofs=False)
            self.serve(connection)
        except (OSError, EOFError):
            pass
        finally:
            connection.close()
            with self.lock:
                self.open_count -= 1


def serve_apart(serve):
    """A server in a process of its own, which a driver's other threads do not keep from the processor; its
    port. It ends with the driver. To be called before there are threads."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        theirs.sendall(b"%d " % Server(serve).port)
        theirs.recv(1)
        os._exit(0)
    theirs.close()
    kept.append(ours)
    return int(read_until(ours, b" "))


kept = []


def tunnel(options, port, host="localhost"):
    """A connection through CONNECT, inside TLS that the proxy intercepts."""
    plain = connect(options.proxy)
    plain.sendall(b"CONNECT %s:%d HTTP/1.1\r\nHost: %s\r\n\r\n" % (host.encode(), port, host.encode()))
    head = read_until(plain, b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise EOFError(head)
    context = ssl.create_default_context(cafile=options.ca)
    return context.wrap_socket(plain, server_hostname=host, suppress_ragged_eofs=False)


def finish(report):
    """Says what was found and ends at once: threads and tasks that serve have no end of their own."""
    print(json.dumps(report), flush=True)
    os._exit(0)


def idle_share(pid, seconds):
    """The share of a processor that a process takes once it has done what it had to do."""
    share = 1
    for _ in range(10):
        spent, began = processor_seconds(pid), time.monotonic()
        time.sleep(seconds)
        share = min(share, (processor_seconds(pid) - spent) / (time.monotonic() - began))
        if share < 0.005:
            break
    return share


def until(condition, seconds=30):
    """Looks until something is so; whether it came to be."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
