#!/usr/bin/python3
"""Opens many client connections that do nothing and says how much memory of proxyd each takes.

  idle.py PROXYD [COUNT]

Each has had one request answered, the intercepted ones inside TLS, so that their server connections went back
to the pool. Fails where one takes more than it may. Needs nginx, openssl and as many descriptors as COUNT
(10,000).
"""
import resource, shutil, socket, ssl, sys, time
from proxied import NEEDED, Proxied


# What one may take, KiB.
GOALS = {"plain": 8, "intercepted": 40}


def connected(proxied):
    return socket.create_connection(("127.0.0.1", proxied.port))


def plain(proxied):
    stream = connected(proxied)
    name = f"127.0.0.1:{proxied.origin}"
    stream.sendall(f"GET http://{name}/ HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())
    if not stream.recv(65536).startswith(b"HTTP/1.1 200"):
        sys.exit("the request failed")
    return stream


def intercepted(proxied, context):
    stream = connected(proxied)
    name = f"localhost:{proxied.origin_tls}"
    stream.sendall(f"CONNECT {name} HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())
    if not stream.recv(4096).startswith(b"HTTP/1.1 200"):
        sys.exit("CONNECT was refused")
    secure = context.wrap_socket(stream, server_hostname="localhost")
    secure.sendall(f"GET / HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())
    if not secure.recv(65536).startswith(b"HTTP/1.1 200"):
        sys.exit("the request inside TLS failed")
    return secure


def measure(proxyd, kind, count):
    with Proxied(proxyd) as proxied:
        context = ssl.create_default_context(cafile=f"{proxied.data}/ca/ca.pem")

        def connect():
            return plain(proxied) if kind == "plain" else intercepted(proxied, context)

        # What the first ones cause once for all is not theirs: pools, caches, threads.
        held = [connect() for _ in range(64)]
        proxied.await_rest()
        before = proxied.resident_byte_count()
        held += [connect() for _ in range(count - len(held))]
        time.sleep(0.5)
        at_once = proxied.resident_byte_count() - before
        proxied.await_rest()
        grown = proxied.resident_byte_count() - before
        each = grown / 1024 / count
        print(f"{count} {kind} connections: {each:.1f} KiB each ({at_once / 1024 / count:.1f} at once; goal {GOALS[kind]})",
              flush=True)
        for stream in held:
            stream.close()
        return each <= GOALS[kind]


def main():
    missing = [program for program in NEEDED if not shutil.which(program)]
    if len(sys.argv) < 2 or missing:
        sys.exit(__doc__ if len(sys.argv) < 2 else f"not there: {' '.join(missing)}")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count + 100:
        sys.exit(f"only {hard} descriptors may be open")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 100, hard))
    reached = [measure(sys.argv[1], kind, count) for kind in GOALS]
    sys.exit(0 if all(reached) else 1)


main()
