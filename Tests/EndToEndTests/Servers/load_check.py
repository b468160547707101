#!/usr/bin/env python3
"""Compares every row of a store with what was planned.

    load_check.py STORE --origin PLAIN-PORT TLS-PORT [--first N] --count N [--seed SEED] [--only FILE]

STORE is captures.sqlite, read-only; a daemon may be writing it. Prints one line of JSON: `rows`,
`missing` and `twice` numbers, what is `wrong`, SQLite's word on its `integrity`. --only names a file
of numbers, a JSON list: others may be missing or cut short, as after a kill.
"""
import argparse
import json
import sqlite3

from load_plan import Request, Response, sessions

ROW = """SELECT id, method, url, scheme, host, port, path, query, status, state, error, request_body_bytes,
  response_body_bytes, request_content_type, response_content_type FROM exchanges WHERE path LIKE '/load/%'"""
CHUNKS = "SELECT octets FROM body_chunk WHERE exchange_id = ? AND part = ? ORDER BY position"
PARAMETERS = "SELECT source, name, value FROM parameter WHERE exchange_id = ? ORDER BY position"


class Check:
    def __init__(self, options):
        self.options = options
        self.store = sqlite3.connect(f"file:{options.store}?mode=ro", uri=True, timeout=60)
        self.store.row_factory = sqlite3.Row
        self.places = {n: (scheme, host) for scheme, host, numbers in
                       sessions(options.first, options.count, options.seed) for n in numbers}
        self.seen, self.wrong, self.twice = {}, [], []

    def run(self):
        must = json.load(open(self.options.only)) if self.options.only else list(self.places)
        strict = set(must)
        for row in self.store.execute(ROW).fetchall():
            number = int(row["path"].split("/")[2])
            if number not in self.places:
                continue
            if number in self.seen:
                self.twice.append(number)
            self.seen[number] = row["state"]
            if number in strict:
                self.compare(row, number)
        missing = [n for n in must if n not in self.seen]
        return {
            "rows": len(self.seen), "must": len(must), "missing": missing[:20], "missing_count": len(missing),
            "twice": self.twice[:20], "wrong": self.wrong[:5], "wrong_count": len(self.wrong),
            "active": sum(state == "active" for state in self.seen.values()),
            "integrity": self.store.execute("PRAGMA integrity_check").fetchone()[0],
        }

    def compare(self, row, number):
        seed = self.options.seed
        request, response = Request(number, seed), Response(number, seed)
        scheme, host = self.places[number]
        host = host or request.host
        port = self.options.origin[scheme == "https"]
        wanted = {
            "method": request.method, "url": f"{scheme}://{host}:{port}{request.target}", "scheme": scheme,
            "host": host, "port": port, "path": request.path, "query": request.query, "status": response.status,
            "state": "complete", "error": None, "request_body_bytes": len(request.body),
            "response_body_bytes": len(response.body), "request_content_type": request.content_type,
            "response_content_type": None if response.status == 204 else response.content_type,
        }
        for name, value in wanted.items():
            self.expect(number, name, row[name], value)
        for part, body in enumerate([request.body, response.body]):
            kept = b"".join(chunk[0] for chunk in self.store.execute(CHUNKS, (row["id"], part)))
            self.expect(number, f"body of part {part}", kept, body)
        parameters = [tuple(found) for found in self.store.execute(PARAMETERS, (row["id"],))]
        self.expect(number, "parameters", sorted(parameters, key=repr), sorted(request.parameters, key=repr))

    def expect(self, number, what, found, wanted):
        if found != wanted:
            self.wrong.append(f"{number}: {what} is {str(found)[:300]}, wanted {str(wanted)[:300]}")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("store")
parser.add_argument("--origin", type=int, nargs=2, required=True)
parser.add_argument("--first", type=int, default=0)
parser.add_argument("--count", type=int, required=True)
parser.add_argument("--seed", default="1")
parser.add_argument("--only")
print(json.dumps(Check(parser.parse_args()).run()))
