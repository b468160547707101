"""Networks in which proxyd stands between clients and servers; run inside `unshare --net`.

usage: transparent.py PROXYD PROXYCTL FOLDER forwarded|tproxy|programs

    client 10.77.1.2 ── bridge 10.77.1.1 (proxyd) 10.77.2.1 ── server 10.77.2.2

Prints one JSON object: what each client got, and the rows that were recorded.
"""
import http.server
import json
import os
import re
import signal
import socket
import socketserver
import ssl
import subprocess
import sys
import threading
import time

PROXYD, PROXYCTL, FOLDER, SCENARIO = sys.argv[1:5] if len(sys.argv) > 4 else [""] * 4
SERVER, SERVER6 = "10.77.2.2", "fd77:2::2"
CLEAN = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
CLEAN["PATH"] += ":/usr/sbin:/sbin"
NOBODY = 65534


def run(*command, **options):
    done = subprocess.run(
        command, env=CLEAN, text=True, capture_output=True, timeout=60, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def until(what, condition):
    """Waits for a condition, at most 30 s."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise SystemExit(f"never: {what}")


class Place:
    """A network namespace of its own, kept by a process in it."""

    def __init__(self, *command):
        here = os.readlink("/proc/self/ns/net")
        self.process = subprocess.Popen(
            ["unshare", "--net", *command], env=CLEAN, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        link = f"/proc/{self.process.pid}/ns/net"
        until("a namespace", lambda: os.path.exists(link) and os.readlink(link) != here)

    def inside(self, *command):
        return ["nsenter", "--net=/proc/%d/ns/net" % self.process.pid, *command]

    def run(self, *command):
        return run(*self.inside(*command))

    def attach(self, name, address, address6, router, router6, ours):
        """Joins this place to a link of the router, `ours`."""
        run("ip", "link", "add", ours, "type", "veth", "peer", "name", name, "netns",
            str(self.process.pid))
        self.run("ip", "link", "set", "lo", "up")
        self.run("ip", "link", "set", name, "up")
        self.run("ip", "address", "add", address + "/24", "dev", name)
        self.run("ip", "-6", "address", "add", address6 + "/64", "dev", name, "nodad")
        self.run("ip", "route", "add", "default", "via", router)
        self.run("ip", "-6", "route", "add", "default", "via", router6)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = f"{self.client_address[0]} {self.headers['Host']} {self.path}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Alt-Svc", 'h3=":443"; ma=60')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


class Server6(Server):
    address_family = socket.AF_INET6


def serve(folder):
    """The servers: HTTP, HTTPS, one that speaks first, and one for UDP."""
    def start(server):
        threading.Thread(target=server.serve_forever, daemon=True).start()

    sys.stdin.readline()
    start(Server((SERVER, 80), Handler))
    start(Server6((SERVER6, 80), Handler))
    secure = Server((SERVER, 443), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/server.pem", folder + "/server-key.pem")
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    start(secure)

    def greet(connection):
        connection.sendall(b"220 welcome\n")
        connection.sendall(b"you said " + connection.recv(100))
        connection.close()

    def speak_first():
        listener = socket.create_server((SERVER, 443 + 2000))
        while True:
            threading.Thread(target=greet, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=speak_first, daemon=True).start()
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind((SERVER, 443))
    print("ready", flush=True)
    while True:
        datagram, client = datagrams.recvfrom(2000)
        datagrams.sendto(datagram, client)


TALK = """
import socket, sys
address, port = sys.argv[1], int(sys.argv[2])
if sys.argv[3] == 'udp':
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(20)
    s.connect((address, port))
    try:
        s.send(b'quic')
        print(s.recv(10).decode())
    except OSError as error:
        print(type(error).__name__)
else:
    s = socket.create_connection((address, port), timeout=20)
    f = s.makefile('rwb')
    print(f.readline().decode().strip())
    f.write(b'hello'); f.flush()
    print(f.read().decode())
"""


def network():
    """Makes the links; returns the places of the client and of the server."""
    run("ip", "link", "set", "lo", "up")
    for name in ("ipv4/ip_forward", "ipv6/conf/all/forwarding"):
        with open("/proc/sys/net/" + name, "w") as file:
            file.write("1")
    # Otherwise the packets of a bridge meet TPROXY twice.
    for name in ("iptables", "ip6tables"):
        setting = "/proc/sys/net/bridge/bridge-nf-call-" + name
        if os.path.exists(setting):
            with open(setting, "w") as file:
                file.write("0")
    client = Place("sleep", "600")
    server = Place(sys.executable, __file__, "serve", FOLDER)
    client.attach("eth0", "10.77.1.2", "fd77:1::2", "10.77.1.1", "fd77:1::1", "client")
    server.attach("eth0", SERVER, SERVER6, "10.77.2.1", "fd77:2::1", "server")
    # Containers are joined by a bridge, too.
    run("ip", "link", "add", "bridge0", "type", "bridge")
    run("ip", "link", "set", "client", "master", "bridge0")
    for name, address, address6 in (
            ("bridge0", "10.77.1.1", "fd77:1::1"), ("server", "10.77.2.1", "fd77:2::1")):
        run("ip", "address", "add", address + "/24", "dev", name)
        run("ip", "-6", "address", "add", address6 + "/64", "dev", name, "nodad")
        run("ip", "link", "set", name, "up")
    run("ip", "link", "set", "client", "up")
    server.process.stdin.write("\n")
    server.process.stdin.flush()
    assert server.process.stdout.readline() == "ready\n"
    return client, server


def configuration():
    places = {
        "forwarded": ["0.0.0.0:8088", "[::]:8088"], "tproxy": ["0.0.0.0:8088", "[::]:8088"],
        "programs": ["127.0.0.1:8088", "[::1]:8088"]}[SCENARIO]
    text = f"""
data_dir = "{FOLDER}/data"
[listen]
addresses = ["10.77.1.1:8080"]
allowed_client_networks = ["10.77.1.0/24", "fd77:1::/64"]
[tls]
extra_ca_files = ["{FOLDER}/server.pem"]
[forwarding]
remove_alt_svc = true
"""
    for number, place in enumerate(places):
        text += f"""
[[listener]]
name = "all-{number}"
address = "{place}"
mode = "transparent"
tproxy = {"true" if SCENARIO == "tproxy" else "false"}
"""
    with open(FOLDER + "/proxyd.toml", "w") as file:
        file.write(text)


def start_proxy():
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-nodes", "-keyout", FOLDER + "/server-key.pem", "-out", FOLDER + "/server.pem",
        "-days", "2", "-subj", "/CN=app.test", "-addext", "subjectAltName=DNS:app.test")
    configuration()
    command = [PROXYD, "--config", FOLDER + "/proxyd.toml"]
    if SCENARIO == "programs":
        os.mkdir(FOLDER + "/data", 0o700)
        os.chown(FOLDER + "/data", NOBODY, NOBODY)
        command = ["setpriv", "--reuid", str(NOBODY), "--clear-groups", *command]
    return command


def load_rules(user):
    printed = run(PROXYCTL, "transparent", "--print", "--config", FOLDER + "/proxyd.toml",
                  "--daemon-user", user, "--port", "80", "--port", "443", "--port", "2443")
    run("nft", "-f", "-", input=printed)
    # The routes that its comments tell.
    for line in re.findall(r"^#     (ip .*)$", printed, re.MULTILINE):
        run(*line.split())
    # Once more, in place of what is there.
    run("nft", "-f", "-", input=printed)


def main():
    command = start_proxy()
    client, server = network()
    proxy = subprocess.Popen(command, env=CLEAN, stdout=subprocess.PIPE, text=True)
    try:
        for _ in range(3):
            proxy.stdout.readline()
        load_rules("nobody" if SCENARIO == "programs" else "0")
        here = (lambda *command: command) if SCENARIO == "programs" else client.inside
        results = talk(here, client)
        if SCENARIO == "programs":
            load_rules("daemon")
            results["own"] = curl(here, "http://10.77.2.2/own")
        results["rows"] = rows()
        print(json.dumps(results))
    finally:
        proxy.send_signal(signal.SIGTERM)
        proxy.wait(30)
        for place in (client, server):
            place.process.kill()


def curl(here, *arguments):
    done = subprocess.run(
        here("curl", "-sS", "--max-time", "20", "--noproxy", "*", *arguments), env=CLEAN,
        text=True, capture_output=True, timeout=60)
    return done.stdout or f"curl {done.returncode}"


def talk(here, client):
    authority = ["--cacert", FOLDER + "/data/ca/ca.pem"]

    def python(*arguments):
        return run(*here(sys.executable, "-c", TALK, *arguments))

    results = {
        "http": curl(here, "-i", "--resolve", "app.test:80:" + SERVER, "http://app.test/one"),
        "http6": curl(here, f"http://[{SERVER6}]/six"),
        "https": curl(here, *authority, "--resolve", "app.test:443:" + SERVER,
                      "https://app.test/secret"),
        "first": python(SERVER, "2443", "tcp"),
        "udp": python(SERVER, "443", "udp"),
    }
    if SCENARIO != "programs":
        # The same machine told to use the proxy, as a phone or a container is.
        told = lambda *command: client.inside("env", "-u", "none", *command)
        results["phone"] = subprocess.run(
            told("curl", "-sS", "--max-time", "20", *authority, "-x", "http://10.77.1.1:8080",
                 "--resolve", "app.test:443:" + SERVER, f"http://{SERVER}/phone"),
            env=CLEAN, text=True, capture_output=True, timeout=60).stdout
        results["direct"] = curl(here, "http://10.77.1.1:8088/direct")
    else:
        results["direct"] = curl(here, "http://127.0.0.1:8088/direct")
    return results


def rows():
    def listed():
        text = run(PROXYCTL, "--data-dir", FOLDER + "/data", "list", "--json")
        found = [json.loads(line) for line in text.splitlines()]
        return found if found and all(row["state"] != "active" for row in found) else None

    until("the rows", listed)
    return [
        json.loads(run(PROXYCTL, "--data-dir", FOLDER + "/data", "show", "--json",
                       str(row["id"]))) for row in listed()]


if sys.argv[1] == "serve":
    serve(sys.argv[2])
else:
    main()
