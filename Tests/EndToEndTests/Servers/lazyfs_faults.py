#!/usr/bin/env python3
"""Power failures under load: a daemon whose data directory lies on LazyFS, which loses what was not flushed.

    lazyfs_faults.py --lazyfs PROGRAM --proxyd PROGRAM --preload LIBRARY --origin PLAIN-PORT TLS-PORT
                     --certificate FILE --work FOLDER --durability normal|full [--runs 100] [--seed N]
                     [--forget-flushes [END]]

In each run planned requests go through the daemon until the power fails: at a random moment the daemon is
killed and then LazyFS drops what was not flushed; or LazyFS ends by itself at a flush or a write of the
store or of its log, which it may have torn. What is left must be whole and hold what was told as stored:
with `full` everything, with `normal` what was told before the last complete flush of the log began, which
must be at most a second ago; and nothing that was not sent. The daemon is started on it, and every exchange
is compared with what was sent, octet for octet. The next run goes on with that store; each RUNS_OF_A_STORE
a new one is begun.

With --forget-flushes the daemon's flushes do nothing, or those of files whose names end with END, such as
-wal, and the check must find that. Prints a line of figures and ends with 1 where there was a problem. A
time beyond its bar is MISSED, because it depends on what else the machine does; a problem far beyond it.
"""
import argparse
import collections
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import lazyfs_disk
from lazyfs_failure import Failure
from proxy_daemon import Daemon, Follower
from stored_exchanges import COMPLETE, STORE, StoredExchanges

RUNS_OF_A_STORE = 5
REQUESTS_OF_A_RUN = 6_000
# How long what was told may still be lost, with `normal`: the bar, and where no machine is so slow.
RISK_MS_MAX = 1_000
RISK_MS_LIMIT = 2_500
START_MS_MAX = 1_000
PROBLEMS_MAX = 10
HERE = os.path.dirname(os.path.abspath(__file__))


class History:
    """A store through several failures."""

    def __init__(self, folder):
        self.folder = folder
        self.runs = 0
        # First number and count of what each run sent.
        self.batches = []
        # Exchanges that a start without LazyFS has seen.
        self.kept = set()

    def next_batch(self):
        first = sum(self.batches[-1]) if self.batches else 0
        self.batches.append((first, REQUESTS_OF_A_RUN))
        return self.batches[-1]


class Check:
    def __init__(self, options):
        self.options = options
        self.chance = random.Random(f"{options.seed}/{options.durability}")
        self.figures, self.failures = collections.Counter(), collections.Counter()
        self.risk_ms = self.start_ms = 0
        self.problems = []
        self.configuration = os.path.join(options.work, "proxyd.toml")
        with open(self.configuration, "w") as file:
            # LazyFS does not say how much room there is.
            file.write(f'[recording]\ndurability = "{options.durability}"\nfree_space_floor_byte_count = 0\n')

    def run(self):
        while self.figures["runs"] < self.options.runs and len(self.problems) < PROBLEMS_MAX:
            with tempfile.TemporaryDirectory(dir=self.options.work) as folder:
                self.fail_often(History(folder))

    def fail_often(self, history):
        """Until the store is old enough, or something is wrong with it."""
        before = len(self.problems)
        while history.runs < RUNS_OF_A_STORE and self.figures["runs"] < self.options.runs:
            history.runs += 1
            self.figures["runs"] += 1
            try:
                self.fail_once(history)
            except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as error:
                self.problem(str(error))
            if self.figures["runs"] % 10 == 0:
                print(f"{self.options.durability}: {self.figures['runs']} of {self.options.runs}", file=sys.stderr)
            if len(self.problems) > before:
                return

    def problem(self, text):
        self.problems.append(f"run {self.figures['runs']} ({self.how.name}): {text}")
        print(f"{self.options.durability}: {self.problems[-1]}", flush=True)

    def fail_once(self, history):
        root = os.path.join(history.folder, "root")
        data = os.path.join(root, "data")
        self.how = Failure(self.chance, os.path.join(data, STORE))
        disk = lazyfs_disk.LazyDisk(self.options.lazyfs, history.folder, self.how.injection)
        try:
            told, failed_at, written = self.load_until_failure(history, disk)
        finally:
            disk.remove()
        left = StoredExchanges(data)
        self.judge(history, told, failed_at, written, left)
        self.start_again(history, data, left)

    # Until the power fails

    def load_until_failure(self, history, disk):
        """What was told and when, when the power failed, and what had been written by then, flushed or
        not; None for that where LazyFS has gone."""
        daemon = follower = load = None
        try:
            daemon, follower = self.start_on(disk, history.folder)
            if daemon and self.has_authority(disk, history.folder):
                load = self.send(history.next_batch(), daemon, history.folder)
            failed_at = self.await_failure(disk)
            if disk.is_alive() and self.how.injection:
                self.how.name = "any moment"
            self.failures[self.how.name] += 1
            if not daemon:
                return {}, failed_at, None
            daemon.kill()
            told = follower.finish()
            if load:
                self.hear(load)
            if not disk.is_alive():
                return told, failed_at, None
            written = StoredExchanges(os.path.join(disk.mount, "data"))
            self.look_at_size(disk)
            disk.drop_unflushed()
            return told, failed_at, written
        finally:
            if daemon and daemon.process.returncode is None:
                daemon.kill()
            if load:
                load.kill()
                load.wait()

    def start_on(self, disk, folder):
        """A daemon and who follows it; nobody where the power fails before it listens."""
        place = os.path.join(folder, "control")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(disk.root, "data", "control.sock"))
        flushes = os.path.join(folder, "flushes")
        with open(flushes, "w"):
            environment = {"LD_PRELOAD": self.options.preload, "CONTROL_SOCKET": place, "FLUSHES": flushes}
        if self.options.forget_flushes is not None:
            environment["FORGET_FLUSHES"] = self.options.forget_flushes
        try:
            daemon = self.start(os.path.join(disk.mount, "data"), folder, environment)
        except RuntimeError:
            if not disk.ends():
                raise
            return None, None
        return daemon, Follower(place)

    def start(self, data, folder, environment):
        trust = {"SSL_CERT_FILE": self.options.certificate}
        return Daemon(self.options.proxyd, data, self.configuration, os.path.join(folder, "errors"),
                      {**trust, **environment})

    @staticmethod
    def has_authority(disk, folder):
        """Copies the authority's certificate for the clients; LazyFS may be gone already."""
        try:
            shutil.copy(os.path.join(disk.mount, "data", "ca", "ca.pem"), os.path.join(folder, "ca.pem"))
            return True
        except OSError:
            if not disk.ends():
                raise
            return False

    def send(self, batch, daemon, folder):
        first, count = map(str, batch)
        ports = map(str, self.options.origin)
        return subprocess.Popen(
            [sys.executable, "-B", os.path.join(HERE, "load_client.py"), "--proxy", str(daemon.port), "--origin",
             *ports, "--ca", os.path.join(folder, "ca.pem"), "--first", first, "--count", count],
            stdout=subprocess.PIPE)

    def await_failure(self, disk):
        """The last moment at which there was power; where LazyFS does not end, that has come now."""
        end = time.monotonic() + self.how.seconds
        while True:
            now = time.monotonic()
            if not disk.is_alive() or now >= end:
                return now
            time.sleep(0.002)

    def hear(self, load):
        """Answers were right, or none."""
        report = json.loads(load.communicate(timeout=lazyfs_disk.PATIENCE_S)[0])
        self.figures["answered"] += report["done"]
        if report["wrong_count"]:
            self.problem(f"wrong answers: {report['wrong']}")

    def look_at_size(self, disk):
        paths = [os.path.join(place, name) for place, _, names in os.walk(disk.mount) for name in names]
        size = sum(os.lstat(path).st_size for path in paths)
        if size > lazyfs_disk.CACHE_MIB << 20:
            raise RuntimeError("LazyFS may have written through: its cache is too small")

    # Afterwards

    def judge(self, history, told, failed_at, written, left):
        flushed_at = self.flushed_at(history.folder)
        is_full = self.options.durability == "full"
        safe = {number for number, at in told.items() if is_full or at <= flushed_at}
        self.figures["told"] += len(told)
        self.figures["safe"] += len(safe)
        lost = [(failed_at - at) * 1_000 for number, at in told.items() if number not in left.rows]
        self.figures["lost"] += len(lost)
        self.risk_ms = max([self.risk_ms, *lost])
        if max(lost, default=0) > RISK_MS_LIMIT:
            self.problem(f"what was told {max(lost):.0f} ms before is lost")
        if left.integrity != "ok" and (left.integrity != "no store" or safe or history.kept):
            self.problem(f"the store is not whole: {left.integrity}")
        if missing := sorted((safe | history.kept) - left.rows.keys()):
            self.problem(f"{len(missing)} of {len(safe | history.kept)} are not there: {missing[:5]}")
        if written and (invented := sorted(left.rows.keys() - written.rows.keys())):
            self.problem(f"never were written: {invented[:5]}")
        # News comes of what is under way, too: only of what was looked at is it known that it was complete.
        if cut := sorted((history.kept & left.rows.keys()) - left.complete()):
            self.problem(f"were complete and are not: {cut[:5]}")
        end = sum(history.batches[-1]) if history.batches else 0
        if unsent := [request for _, request in left.rows.values() if request >= end]:
            self.problem(f"never were sent: {unsent[:5]}")

    @staticmethod
    def flushed_at(folder):
        """The second at which the last complete flush of the log began."""
        with open(os.path.join(folder, "flushes")) as file:
            return max((int(line) / 1e9 for line in file), default=0)

    def start_again(self, history, data, left):
        """On what is left, without LazyFS; what a later run must find is what this start has kept."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(data, "control.sock"))
        daemon = self.start(data, history.folder, {})
        try:
            self.start_ms = max(self.start_ms, daemon.seconds * 1_000)
            # What this run left; in the end what all did.
            is_last = history.runs == RUNS_OF_A_STORE or self.figures["runs"] == self.options.runs
            for batch in history.batches if is_last else history.batches[-1:]:
                self.compare(batch, data, left)
        finally:
            status = daemon.stop() if history.runs % 2 else daemon.kill()
        if history.runs % 2 and status != 0:
            self.problem(f"SIGTERM ends it with {status}")
        if "it was moved to" in daemon.complaints():
            self.problem(daemon.complaints())
        history.kept = StoredExchanges(data).complete()
        if lost := sorted(left.complete() - history.kept):
            self.problem(f"the start loses {lost[:5]}")

    def compare(self, batch, data, left):
        """Every complete exchange of a batch with what was sent."""
        first, count = batch
        complete = [request for state, request in left.rows.values()
                    if state == COMPLETE and first <= request < first + count]
        with tempfile.NamedTemporaryFile("w", suffix=".json", dir=self.options.work) as file:
            json.dump(complete, file)
            file.flush()
            command = [
                sys.executable, "-B", os.path.join(HERE, "load_check.py"), os.path.join(data, STORE), "--origin",
                *map(str, self.options.origin), "--first", str(first), "--count", str(count), "--only", file.name]
            outcome = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if outcome.returncode:
            return self.problem(f"cannot be compared with what was sent: {outcome.stderr.splitlines()[-1:]}")
        report = json.loads(outcome.stdout)
        self.figures["compared"] += report["must"]
        findings = [report[each] for each in ("missing_count", "wrong_count", "active", "twice")]
        if report["integrity"] != "ok" or any(findings):
            self.problem(f"compared with what was sent: {report}")

    def report(self):
        figures = self.figures
        how = ", ".join(f"at {name} {count}" for name, count in self.failures.most_common())
        print(f"{self.options.durability}: {figures['runs']} power failures ({how}): {len(self.problems)} problems; "
              f"{figures['answered']} answered, {figures['told']} told as stored, {figures['safe']} of them safe, "
              f"{figures['lost']} others lost, at risk for {self.in_time(self.risk_ms, RISK_MS_MAX)}; "
              f"{figures['compared']} compared octet for octet; started again in "
              f"{self.in_time(self.start_ms, START_MS_MAX)}", flush=True)

    @staticmethod
    def in_time(ms, bar):
        return f"{ms:.0f} ms at most" + ("" if ms <= bar else f" (MISSED: {bar})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lazyfs", required=True)
    parser.add_argument("--proxyd", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--origin", type=int, nargs=2, required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--durability", choices=["normal", "full"], required=True)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--forget-flushes", nargs="?", const="", metavar="END")
    check = Check(parser.parse_args())
    check.run()
    check.report()
    sys.exit(1 if check.problems else 0)
