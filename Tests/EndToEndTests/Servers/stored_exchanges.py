"""What a store holds, as its files say that a failure has left."""
import contextlib
import os
import shutil
import sqlite3
import tempfile

STORE = "captures.sqlite"
COMPLETE = "complete"
# The number of the request of an exchange that has none, such as a CONNECT.
NOT_PLANNED = -1


class StoredExchanges:
    """A store's exchanges, read in a copy of its files: number → (state, planned request)."""

    def __init__(self, data):
        self.rows, self.integrity = {}, "no store"
        with tempfile.TemporaryDirectory() as folder:
            for name in (STORE, STORE + "-wal"):
                with contextlib.suppress(FileNotFoundError):
                    shutil.copy(os.path.join(data, name), folder)
            path = os.path.join(folder, STORE)
            if not os.path.exists(path) or not os.path.getsize(path):
                return
            with contextlib.closing(sqlite3.connect(path)) as database:
                try:
                    self.read(database)
                except sqlite3.DatabaseError as error:
                    self.integrity = f"{type(error).__name__}: {error}"

    def read(self, database):
        self.integrity = database.execute("PRAGMA integrity_check").fetchone()[0]
        if not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            self.integrity = "no store"
            return
        for number, state, path in database.execute("SELECT id, state, path FROM exchanges"):
            parts = (path or "").split("/")
            self.rows[number] = state, int(parts[2]) if parts[1:2] == ["load"] else NOT_PLANNED

    def complete(self):
        return {number for number, (state, _) in self.rows.items() if state == COMPLETE}
