"""The daemon of a soak, which is killed now and then and must lose nothing that it told as stored."""
import asyncio
import contextlib
import os
import sqlite3

from proxy_daemon import Daemon, Follower


class Lives:
    """The daemon that runs; `number` counts the kills."""

    def __init__(self, options):
        self.options = options
        self.number = self.looked_for = 0
        self.problems = []
        self.begin()

    @property
    def authority(self):
        return os.path.join(self.options.data, "ca", "ca.pem")

    def begin(self):
        errors = os.path.join(os.path.dirname(self.options.config), "errors")
        self.daemon = Daemon(self.options.proxyd, self.options.data, self.options.config, errors,
                             {"SSL_CERT_FILE": self.options.certificate})
        self.port, self.pid = self.daemon.port, self.daemon.pid
        # Only a kill makes use of what is told.
        self.follower = Follower(os.path.join(self.options.data, "control.sock")) if self.options.kill_minutes else None

    async def kill_often(self):
        while self.options.kill_minutes:
            await asyncio.sleep(self.options.kill_minutes * 60)
            # What fails from now on is cut by the kill. Nothing else of the soak runs meanwhile.
            self.number += 1
            self.daemon.kill()
            told = self.follower.finish()
            self.begin()
            await asyncio.to_thread(self.look_for, told)

    def look_for(self, told):
        """What was told and is not removed by now, which goes from the oldest on, is there."""
        place = os.path.join(self.options.data, "captures.sqlite")
        with contextlib.closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True, timeout=60)) as store:
            there = {number for number, in store.execute("SELECT id FROM exchanges")}
            integrity = store.execute("PRAGMA quick_check").fetchone()[0]
        oldest = min(there, default=0)
        wanted = {number for number in told if number >= oldest}
        self.looked_for += len(wanted)
        if lost := sorted(wanted - there):
            self.problems.append(f"kill {self.number} loses {len(lost)} that were told as stored: {lost[:5]}")
        if integrity != "ok":
            self.problems.append(f"kill {self.number}: {integrity}")

    def stop(self):
        self.daemon.stop()
