#!/usr/bin/env python3
"""F4: what a power failure at any moment leaves of a daemon's files, each state opened and looked through.

    power_states.py FOLDER LOG TOLD --states N --next FOLDER [--seed N] [--always] [--ended]

FOLDER has `data`, the files as the daemon left them, and `base`, as they were before it started; LOG is
power_log.c's, TOLD what power_follow.py printed. In every state the store must be whole; hold what the
base held and what was safe; hold nothing that never was. Safe is what was told as stored before the last
complete flush of the log began, or (--always) what was told as stored at all. Where the daemon ended by
itself (--ended), the log must tell all that became of its files.

One of the states is made at --next, twice: as `data` and as `base`. Prints one line of JSON: how many
`states` there were, the `problems`, `next`: which planned requests that one must hold, and `at_risk_ms`:
how long after it was told as stored an exchange could still be lost, at most.
"""
import argparse
import collections
import hashlib
import json
import os
import random
import sqlite3
import tempfile

import power_log
from power_follow import Flushes, is_barrier

STORE = "data/captures.sqlite"
COMPLETE = 1
ROWS = "SELECT * FROM exchange"
BELONGINGS = [
    "SELECT exchange_id, * FROM content",
    "SELECT exchange_id, * FROM parameter ORDER BY exchange_id, source, position",
    "SELECT key >> 28, * FROM body_piece ORDER BY key",
]


class Store:
    """An opened copy of a store's files: number → (state, path, digest of everything that belongs to it)."""

    def __init__(self, octets):
        self.rows, self.integrity = {}, "no store"
        if not octets.get(STORE):
            return
        with tempfile.TemporaryDirectory() as folder:
            power_log.write({name: content for name, content in octets.items() if name.startswith(STORE)}, folder, chance)
            database = sqlite3.connect(os.path.join(folder, STORE))
            try:
                self.read(database)
            except sqlite3.DatabaseError as error:
                self.integrity = f"{type(error).__name__}: {error}"
            finally:
                database.close()

    def read(self, database):
        self.integrity = database.execute("PRAGMA integrity_check").fetchone()[0]
        if not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            return
        digests = collections.defaultdict(hashlib.sha256)
        for query in BELONGINGS:
            for number, *row in database.execute(query):
                digests[number].update(repr(row).encode())
        columns = [column[1] for column in database.execute("PRAGMA table_info(exchange)")]
        for row in database.execute(ROWS):
            named = dict(zip(columns, row))
            digests[row[0]].update(repr(row).encode())
            self.rows[row[0]] = named["state"], named["path"] or "", digests[row[0]].digest()


class Check:
    def __init__(self, options):
        self.options = options
        self.records = power_log.read(options.log)
        with open(options.told) as file:
            self.told = {int(number): at for number, at in json.load(file)["told"].items()}
        self.disk = power_log.Disk(os.path.join(options.folder, "base"))
        self.before = Store(self.disk.lasting("forgets", chance))
        self.after = Store(files(options.folder))
        self.problems, self.count = [], 0
        # When the flush began that saved the store's log last; and one whose file may not have its name yet.
        self.barrier = self.flushed = 0

    def run(self):
        if self.after.integrity != "ok":
            self.problems.append(f"the store as it was left: {self.after.integrity}")
        places = self.places()
        chosen = chance.choice(sorted(places))
        report = {"next": []}
        for place, record in enumerate(self.records):
            self.disk.step(record)
            if is_barrier(record):
                self.flushed = record.began
            if not any(name in (STORE, STORE + "-wal") for _, name, _ in self.disk.pending):
                self.barrier = self.flushed
            for _ in range(places.get(place, 0)):
                octets, safe = self.state(place, record)
            if place == chosen:
                report["next"] = self.make_next(octets, safe)
        if self.options.ended:
            self.compare_log()
        report |= {"states": self.count, "problems": self.problems[:5], "problem_count": len(self.problems),
                   "at_risk_ms": max(0, self.at_risk_ns()) / 1e6, "records": len(self.records)}
        return report

    def places(self):
        """Behind which records the power fails, and how often there: half of them around flushes and names."""
        turns = [place for place, record in enumerate(self.records)
                 if record.kind in (power_log.FLUSH, power_log.FLUSH_FOLDER, power_log.CUT, power_log.MAKE,
                                    power_log.REMOVE, power_log.RENAME)]
        places = collections.Counter()
        for number in range(self.options.states):
            place = chance.choice(turns) + chance.randint(-1, 2) if number % 2 else chance.randrange(len(self.records))
            places[max(0, min(place, len(self.records) - 1))] += 1
        return places

    def state(self, place, record):
        how = chance.choice(power_log.HOW)
        octets = self.disk.lasting(how, chance)
        store = Store(octets)
        self.count += 1
        safe = set(number for number, row in self.before.rows.items() if row[0] == COMPLETE)
        end = record.ended if self.options.always else self.barrier
        safe |= {number for number, at in self.told.items() if at < end}
        problem = self.problem(store, safe)
        if problem:
            self.problems.append(f"power fails after record {place} of {len(self.records)} ({how}): {problem}")
        return octets, safe

    def problem(self, store, safe):
        if store.integrity != "ok" and (safe or store.integrity != "no store"):
            return store.integrity
        for number in safe:
            if store.rows.get(number) != self.after.rows.get(number):
                return f"exchange {number}, which was safe, is {store.rows.get(number)}"
        for number, row in store.rows.items():
            if number not in self.after.rows:
                return f"exchange {number} never was"
            if row[0] == COMPLETE and row != self.after.rows[number]:
                return f"exchange {number} is not what it was"
        return None

    def make_next(self, octets, safe):
        for name in ("data", "base"):
            power_log.write({self.place(path, name): content for path, content in octets.items()}, self.options.next, chance)
        return [int(path.split("/")[2]) for number, (_, path, _) in self.after.rows.items()
                if number in safe and path.startswith("/load/")]

    @staticmethod
    def place(path, name):
        return path if name == "data" else os.path.join("base", path)

    def compare_log(self):
        """What was written down is all that happened: played to its end, it gives the files that are there."""
        played, there = self.disk.lasting("keeps", chance), files(self.options.folder)
        for name in played.keys() | there.keys():
            if not name.endswith("-shm") and played.get(name) != there.get(name):
                self.problems.append(f"the log does not tell what became of {name}")

    def at_risk_ns(self):
        """From the news to the end of the flush that saved it, at most; it may have ended before."""
        flushes = Flushes(self.records)
        ends = [(flushes.saving(at), at) for at in self.told.values()]
        return max((end - at for end, at in ends if end), default=0)


def files(folder):
    """The regular files of `data` and their octets."""
    found = {}
    for place, _, names in os.walk(os.path.join(folder, "data")):
        for name in names:
            path = os.path.join(place, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = bytearray(file.read())
    return found


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("folder")
parser.add_argument("log")
parser.add_argument("told")
parser.add_argument("--states", type=int, required=True)
parser.add_argument("--next", required=True)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--always", action="store_true")
parser.add_argument("--ended", action="store_true")
if __name__ == "__main__":
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    os.umask(0o077)
    print(json.dumps(Check(arguments).run()))
