"""The origin server and the proxies of the yardstick, each a program on loopback."""
import os, re, shutil, signal, socket, subprocess, sys, tempfile, time
from servers import free_port, make_certificate, write_nginx_configuration

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
REPLY = '{"id":42,"name":"small reply","items":[1,2,3,4,5,6,7,8],"ok":true,"note":"%s"}' % ("a usual answer of an interface " * 3).strip()
BIG_BYTE_COUNT = 1 << 30
START_TIMEOUT_S = 20


def first_line(command):
    run = subprocess.run(command, capture_output=True, text=True)
    return next((line.strip() for line in (run.stdout + run.stderr).splitlines() if line.strip()), "?")


class Stage:
    """A folder, folders that no other user may see, and programs; all are gone when the `with` block ends."""

    def __enter__(self):
        # Squid runs as another user and must be able to write here; proxyd's data is elsewhere.
        self.folder = tempfile.mkdtemp(prefix="yardstick-")
        os.chmod(self.folder, 0o777)
        self.private = []
        self.started = []
        return self

    def private_folder(self):
        self.private.append(tempfile.mkdtemp(prefix="yardstick-data-"))
        return self.private[-1]

    def __exit__(self, *_):
        for process in self.started:
            process.send_signal(signal.SIGTERM)
        until = time.monotonic() + 10
        for process in self.started:
            try:
                process.wait(timeout=max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for folder in [self.folder, *self.private]:
            shutil.rmtree(folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def run(self, command, port, environment=None):
        """Starts a program and waits until it listens."""
        log = self.path(f"{os.path.basename(command[0])}-{port}.log")
        with open(log, "w") as output:
            process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
        self.started.append(process)
        until = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < until and process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return process.pid
            time.sleep(0.05)
        with open(log) as file:
            sys.exit(f"{command[0]} does not listen on port {port}:\n{file.read()[-1000:]}")


class Origin:
    """nginx, plain and over TLS with HTTP/2, and a WebSocket echo server."""

    def __init__(self, stage, needs_big):
        self.plain, self.tls, self.websocket = (free_port() for _ in range(3))
        self.certificate, self.key = make_certificate(stage.folder)
        with open(self.certificate) as one, open(self.key) as two:
            self.chain_and_key = stage.write("origin.pem", one.read() + two.read())
        os.mkdir(stage.path("www"))
        if needs_big:
            with open(stage.path("www/big"), "wb") as file:
                file.truncate(BIG_BYTE_COUNT)
        answers = f"location = /small {{ default_type application/json; return 200 '{REPLY}'; }} " \
                  f"location / {{ root {stage.path('www')}; }}"
        configuration = write_nginx_configuration(
            stage.folder, f"""server {{ listen 127.0.0.1:{self.plain} backlog=4096; {answers} }}
server {{ listen 127.0.0.1:{self.tls} ssl http2 backlog=4096; http2_max_concurrent_streams 256;
  ssl_certificate {self.certificate}; ssl_certificate_key {self.key}; {answers} }}""")
        stage.run(["nginx", "-c", configuration], self.plain)
        echo = os.path.join(os.path.dirname(os.path.abspath(__file__)), "websocket.py")
        stage.run([sys.executable, echo, str(self.websocket)], self.websocket)


class Proxy:
    """One proxy, running. `scenarios` are those that it takes part in."""
    #: Whether requests reach it as a forward proxy, with CONNECT for TLS; else it is a reverse proxy with a port for each protocol.
    is_forward = True
    #: How many seconds after a load it may begin work that it had put off.
    puts_off_s = 1

    def __init__(self, name, version):
        self.name, self.version = name, version

    def tree(self):
        """Its processes."""
        found, todo = [], [self.pid]
        while todo:
            pid = todo.pop()
            found.append(pid)
            try:
                for task in os.listdir(f"/proc/{pid}/task"):
                    with open(f"/proc/{pid}/task/{task}/children") as file:
                        todo += map(int, file.read().split())
            except OSError:
                pass
        return found

    def processor_s(self):
        """User and kernel seconds of all its processes so far."""
        user, kernel = 0, 0
        for pid in self.tree():
            try:
                with open(f"/proc/{pid}/stat") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            user, kernel = user + int(fields[11]), kernel + int(fields[12])
        return user * TICK_S, kernel * TICK_S

    def resident_mib(self):
        total = 0
        for pid in self.tree():
            try:
                with open(f"/proc/{pid}/status") as file:
                    total += int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))
            except (OSError, AttributeError):
                pass
        return total / 1024


class Proxyd(Proxy):
    # The search files catch up ten seconds after the last exchange.
    puts_off_s = 12
    scenarios = {"plain", "serial", "post", "tls", "tlsnew", "big", "bigtls", "h2", "h2one", "ws", "wsbig"}

    def __init__(self, stage, origin, program, name="proxyd"):
        super().__init__(name, first_line([program, "--version"]))
        self.port = free_port()
        self.data = stage.private_folder()
        self.pid = stage.run([program, "--listen", f"127.0.0.1:{self.port}", "--data-dir", self.data],
                             self.port, dict(os.environ, SSL_CERT_FILE=origin.certificate))

    def recorded(self):
        """How many complete exchanges its store has, and how many MiB the store."""
        store = os.path.join(self.data, "captures.sqlite")
        count = subprocess.run(["sqlite3", "-readonly", store, "SELECT count(*) FROM exchanges WHERE status IS NOT NULL"],
                               capture_output=True, text=True).stdout.strip()
        size = sum(os.path.getsize(os.path.join(self.data, name))
                   for name in os.listdir(self.data) if name.startswith("captures"))
        return int(count or 0), size / (1 << 20)


class HAProxy(Proxy):
    scenarios = {"plain", "serial", "post", "big", "h2", "h2one", "ws", "wsbig"}
    is_forward = False

    def __init__(self, stage, origin):
        super().__init__("haproxy", first_line(["haproxy", "-v"]))
        self.port, self.port_http2, self.port_websocket = free_port(), free_port(), free_port()
        configuration = stage.write("haproxy.cfg", f"""global
  nbthread 1
  maxconn 8000
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tunnel 60s
  http-reuse always
listen plain
  bind 127.0.0.1:{self.port}
  server s 127.0.0.1:{origin.plain}
listen http2
  bind 127.0.0.1:{self.port_http2} ssl crt {origin.chain_and_key} alpn h2
  server s 127.0.0.1:{origin.tls} ssl verify none alpn h2 sni str(localhost)
listen websocket
  bind 127.0.0.1:{self.port_websocket}
  server s 127.0.0.1:{origin.websocket}
""")
        self.pid = stage.run(["haproxy", "-f", configuration, "-db"], self.port)


class Squid(Proxy):
    scenarios = {"plain", "serial", "post", "tls", "tlsnew", "big", "bigtls"}
    certificate_helper = "/usr/lib/squid/security_file_certgen"

    def __init__(self, stage, origin):
        super().__init__("squid", first_line(["squid", "-v"]))
        self.port = free_port()
        authority, key, database = stage.path("squid.crt"), stage.path("squid.key"), stage.path("squid-certificates")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-keyout", key, "-out", authority,
             "-subj", "/CN=Yardstick", "-addext", "basicConstraints=critical,CA:TRUE"], check=True, capture_output=True)
        with open(authority) as one, open(key) as two:
            both = stage.write("squid.pem", one.read() + two.read())
        subprocess.run([self.certificate_helper, "-c", "-s", database, "-M", "4MB"], check=True, capture_output=True)
        subprocess.run(["chown", "-R", "proxy:proxy", database], check=True)
        configuration = stage.write("squid.conf", f"""http_port 127.0.0.1:{self.port} ssl-bump generate-host-certificates=on dynamic_cert_mem_cache_size=4MB tls-cert={both}
sslcrtd_program {self.certificate_helper} -s {database} -M 4MB
http_access allow all
ssl_bump bump all
sslproxy_cert_error allow all
cache deny all
access_log stdio:{stage.path('squid.access')}
cache_log {stage.path('squid.log')}
pid_filename {stage.path('squid.pid')}
coredump_dir {stage.folder}
shutdown_lifetime 1 seconds
pinger_enable off
""")
        self.pid = stage.run(["squid", "-N", "-f", configuration], self.port)


class Nghttpx(Proxy):
    scenarios = {"h2", "h2one"}
    is_forward = False

    def __init__(self, stage, origin):
        super().__init__("nghttpx", first_line(["nghttpx", "--version"]))
        self.port_http2 = free_port()
        self.pid = stage.run(
            ["nghttpx", f"-f127.0.0.1,{self.port_http2}", f"-b127.0.0.1,{origin.tls};;proto=h2;tls;sni=localhost", "-k",
             "--workers=1", "--no-ocsp", "--no-via", "--conf=/dev/null", "--errorlog-file=/dev/null",
             origin.key, origin.certificate], self.port_http2)


class Mitmdump(Proxy):
    scenarios = {"plain", "serial", "post", "tls", "tlsnew", "big", "bigtls", "h2", "h2one", "ws", "wsbig"}

    def __init__(self, stage, origin, program):
        super().__init__("mitmdump", first_line([program, "--version"]))
        self.port = free_port()
        self.pid = stage.run(
            [program, "-q", "--listen-host", "127.0.0.1", "-p", str(self.port), "--ssl-insecure",
             "--set", f"confdir={stage.path('mitmproxy')}", "-w", stage.path("flows")], self.port)


def peer_makers(mitmdump):
    """The peers that this machine has, by name."""
    makers = {}
    if shutil.which("haproxy"):
        makers["haproxy"] = HAProxy
    if shutil.which("nghttpx"):
        makers["nghttpx"] = Nghttpx
    if shutil.which("squid") and os.path.exists(Squid.certificate_helper):
        makers["squid"] = Squid
    if mitmdump and os.path.exists(mitmdump):
        makers["mitmdump"] = lambda stage, origin: Mitmdump(stage, origin, mitmdump)
    return makers
