"""A real proxyd before a real origin (nginx), on loopback, in a folder that goes when they stop."""
import os, re, shutil, signal, socket, subprocess, tempfile, time
from servers import free_port, make_certificate, write_nginx_configuration

BODY = '{"id":42,"name":"small reply","items":[1,2,3,4,5,6,7,8],"ok":true}'
NEEDED = ("nginx", "openssl", "ss")


class Proxied:
    """Programs that run as long as the `with` block; `port` is proxyd's, `origin` and `origin_tls` nginx's."""

    def __init__(self, proxyd):
        self.proxyd = proxyd
        self.started = []

    def __enter__(self):
        # Not below a folder that others may write to: proxyd's key lies in it.
        self.folder = tempfile.mkdtemp(prefix="proxied-")
        self.data = os.path.join(self.folder, "data")
        try:
            self.start_origin()
            self.start_proxyd()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.started):
            process.send_signal(signal.SIGTERM)
        for process in reversed(self.started):
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start_origin(self):
        self.origin, self.origin_tls = free_port(), free_port()
        self.certificate, key = make_certificate(self.folder)
        answer = f"location / {{ default_type application/json; return 200 '{BODY}'; }}"
        path = write_nginx_configuration(self.folder, f"""server {{ listen {self.origin} backlog=4096; {answer} }}
server {{ listen {self.origin_tls} ssl backlog=4096; ssl_certificate {self.certificate};
  ssl_certificate_key {key}; {answer} }}""")
        self.run(["nginx", "-c", path])
        self.await_port(self.origin)

    def start_proxyd(self):
        output = os.path.join(self.folder, "proxyd.out")
        self.pid = self.run(
            [self.proxyd, "--listen", "127.0.0.1:0", "--data-dir", self.data], output,
            dict(os.environ, SSL_CERT_FILE=self.certificate)).pid
        for _ in range(600):
            with open(output) as file:
                found = re.search(r"listening on 127\.0\.0\.1:(\d+)", file.read())
            if found:
                self.port = int(found.group(1))
                return
            time.sleep(0.05)
        raise SystemExit("proxyd did not start")

    def run(self, command, output=os.devnull, environment=None):
        with open(output, "w") as out, open(os.path.join(self.folder, "errors"), "a") as errors:
            process = subprocess.Popen(command, stdout=out, stderr=errors, env=environment)
        self.started.append(process)
        return process

    @staticmethod
    def await_port(port):
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)
        raise SystemExit(f"nothing listens on {port}")

    def resident_byte_count(self, field="VmRSS"):
        with open(f"/proc/{self.pid}/status") as file:
            return int(re.search(rf"{field}:\s+(\d+) kB", file.read()).group(1)) * 1024

    def processor_s(self):
        """Seconds of processor time that proxyd has used, user and system."""
        total_ns = 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/schedstat") as file:
                total_ns += int(file.read().split()[0])
        return total_ns / 1e9

    def await_rest(self):
        """Waits until proxyd has used next to nothing for three seconds: indexes are filled by then."""
        quiet = 0
        while quiet < 3:
            before = self.processor_s()
            time.sleep(1)
            quiet = quiet + 1 if self.processor_s() - before < 0.02 else 0
