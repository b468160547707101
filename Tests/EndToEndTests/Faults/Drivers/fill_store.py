#!/usr/bin/env python3
"""F32: fills a store of which no daemon runs up to COUNT exchanges, with copies of the small ones in it.

    fill_store.py DATA-DIRECTORY COUNT

Prints one line of JSON: `exchanges`, and the store's size in `bytes`.
"""
import json
import os
import sqlite3
import sys

# Heads, parameters and bodies like these make up the usual kilobyte.
SMALL = "state = 1 AND request_kept_bytes + response_kept_bytes < 800"
TABLES = {"exchange": "id", "content": "exchange_id", "parameter": "exchange_id"}


def copying(store, table, key):
    """A statement that copies a table's rows of each template, under the numbers behind ?1."""
    columns = [column[1] for column in store.execute(f"PRAGMA table_info({table})")]
    others = ", ".join(f"t.{column}" for column in columns if column != key)
    assert columns[0] == key, columns
    return (f"INSERT INTO {table} SELECT ?1 + template.place, {others} FROM temp.template template "
            f"JOIN {table} t ON t.{key} = template.id WHERE template.place <= ?2 ORDER BY template.place")


def fill(path, wanted):
    store = sqlite3.connect(path, isolation_level=None)
    store.execute("PRAGMA synchronous = OFF")
    store.execute("CREATE TEMP TABLE template (place INTEGER PRIMARY KEY, id INTEGER NOT NULL)")
    store.execute(f"INSERT INTO temp.template (id) SELECT id FROM exchange WHERE {SMALL} ORDER BY id")
    templates = store.execute("SELECT count(*) FROM temp.template").fetchone()[0]
    statements = [copying(store, table, key) for table, key in TABLES.items()]
    count, last = store.execute("SELECT exchange_count, last_exchange_id FROM store_state").fetchone()
    while count < wanted:
        step = min(templates, wanted - count)
        store.execute("BEGIN")
        for statement in statements:
            store.execute(statement, (last, step))
        count, last = count + step, last + step
        store.execute("UPDATE store_state SET exchange_count = ?, last_exchange_id = ?", (count, last))
        store.execute("COMMIT")
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    return {"exchanges": count, "bytes": os.path.getsize(path)}


if __name__ == "__main__":
    print(json.dumps(fill(os.path.join(sys.argv[1], "captures.sqlite"), int(sys.argv[2]))))
