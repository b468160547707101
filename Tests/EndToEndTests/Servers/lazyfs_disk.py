"""A folder on LazyFS: what is written there and not flushed is lost when its power fails."""
import os
import select
import signal
import subprocess
import time

PATIENCE_S = 60
# More than a round writes: LazyFS writes through what its cache has no room for.
CACHE_MIB = 512
CONFIGURATION = """
[faults]
fifo_path = "{commands}"
fifo_path_completed = "{answers}"
[cache]
apply_eviction = false
[cache.simple]
custom_size = "{size}mb"
blocks_per_page = 1
[filesystem]
log_all_operations = false
logfile = ""
"""


class LazyDisk:
    """LazyFS over `root`, which has what is flushed; `mount` shows what was written."""

    def __init__(self, program, folder, injection=""):
        self.root, self.mount = os.path.join(folder, "root"), os.path.join(folder, "mount")
        self.log = os.path.join(folder, "lazyfs.log")
        pipes = [os.path.join(folder, name) for name in ("commands", "answers")]
        configuration = os.path.join(folder, "lazyfs.toml")
        for path in (self.root, self.mount):
            os.makedirs(path, exist_ok=True)
        for path in pipes:
            if not os.path.exists(path):
                os.mkfifo(path)
        # Open at both ends, so that nobody waits for the other.
        self.commands, self.answers = (os.open(path, os.O_RDWR) for path in pipes)
        with open(configuration, "w") as file:
            file.write(CONFIGURATION.format(commands=pipes[0], answers=pipes[1], size=CACHE_MIB) + injection)
        # One thread: with several, a read races with the writes of the same file.
        command = [program, self.mount, "--config-path", configuration,
                   "-o", "modules=subdir", "-o", f"subdir={self.root}", "-f", "-s"]
        with open(self.log, "wb") as file:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        try:
            self.await_mount()
        except RuntimeError:
            self.remove()
            raise

    def await_mount(self):
        end = time.monotonic() + PATIENCE_S
        while not os.path.ismount(self.mount):
            if not self.is_alive() or time.monotonic() > end:
                raise RuntimeError(f"LazyFS does not mount: {self.complaints()}")
            time.sleep(0.01)

    def is_alive(self):
        return self.process.poll() is None

    def ends(self):
        """Whether its power failed, now that something below it has: its files are gone a little before it is."""
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            pass
        return not self.is_alive()

    def complaints(self):
        with open(self.log, errors="replace") as file:
            return file.read()[-2000:]

    def drop_unflushed(self):
        """What was not flushed is gone when this returns."""
        os.write(self.commands, b"lazyfs::clear-cache\n")
        if not select.select([self.answers], [], [], PATIENCE_S)[0]:
            raise RuntimeError(f"LazyFS does not clear its cache: {self.complaints()}")
        os.read(self.answers, 4096)

    def remove(self):
        """Unmounts; only `root` is left. What LazyFS may still hold goes with it: it is killed."""
        if self.is_alive():
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        if os.path.ismount(self.mount) or not os.access(self.mount, os.F_OK):
            subprocess.run(["fusermount3", "-u", "-z", self.mount], check=True)
        for descriptor in (self.commands, self.answers):
            os.close(descriptor)
