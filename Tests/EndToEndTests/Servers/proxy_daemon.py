"""A proxyd that a driver starts, ends and listens to."""
import json
import os
import select
import signal
import socket
import subprocess
import threading
import time

PATIENCE_S = 60


class Daemon:
    """A daemon on a data directory; `port` is where it listens, `seconds` how long it took to."""

    def __init__(self, program, data, config, errors, environment=None):
        self.data, self.errors = data, errors
        command = [program, "--listen", "127.0.0.1:0", "--data-dir", data, "--config", config]
        began = time.monotonic()
        with open(errors, "wb") as file:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, stdin=subprocess.DEVNULL,
                                            env={**os.environ, **(environment or {})})
        line = self.first_line()
        self.seconds = time.monotonic() - began
        if not line.startswith("proxyd: listening on 127.0.0.1:"):
            self.kill()
            raise RuntimeError(f"the daemon does not start: {line!r} {self.complaints()}")
        self.port = int(line.rsplit(":", 1)[1])

    def first_line(self):
        descriptor, line, end = self.process.stdout.fileno(), b"", time.monotonic() + PATIENCE_S
        while not line.endswith(b"\n") and select.select([descriptor], [], [], max(0, end - time.monotonic()))[0]:
            octets = os.read(descriptor, 4096)
            if not octets:
                break
            line += octets
        return line.decode(errors="replace").split("\n")[0]

    @property
    def pid(self):
        return self.process.pid

    def complaints(self):
        with open(self.errors, errors="replace") as file:
            return file.read()

    def kill(self):
        """As a failure of the power or of the program; returns when nothing of it runs any more."""
        self.end(signal.SIGKILL)

    def stop(self):
        """As systemd; returns the exit status."""
        return self.end(signal.SIGTERM)

    def end(self, how):
        self.process.send_signal(how)
        try:
            status = self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process.stdout.close()
        return status


class Follower(threading.Thread):
    """Who is told what is stored: `told`, number of the exchange → second at which its last news came."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.told = {}
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(path)
        self.connection.sendall(b'{"id":1,"command":{"subscribe":{}}}\n')
        self.start()

    def run(self):
        rest = b""
        while octets := self.receive():
            now = time.monotonic()
            *lines, rest = (rest + octets).split(b"\n")
            for line in lines:
                changed = (json.loads(line).get("event") or {}).get("changed", {})
                self.told.update(dict.fromkeys(changed.get("ids", []), now))

    def receive(self):
        try:
            return self.connection.recv(1 << 20)
        except OSError:
            return b""

    def finish(self):
        """What was told in all, once the daemon is gone."""
        self.join(PATIENCE_S)
        if self.is_alive():
            raise RuntimeError("the follower hears no end")
        self.connection.close()
        return self.told
