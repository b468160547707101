#!/usr/bin/python3
"""Sends a million varied requests through proxyd and says what recording them costs as the store grows.

  million.py PROXYD [COUNT]

Prints resident memory at rest, at 10,000 exchanges and at each tenth of COUNT, processor time an exchange
with everything done behind it (indexes, search), and in the end the store's size beside what it holds.
Fails where that misses a goal, or where an answer was no 200 or is not in the store.
Hosts, paths, queries, bodies and methods vary. Needs nginx, openssl, wrk and sqlite3.
"""
import os, re, shutil, subprocess, sys, time
from proxied import NEEDED, Proxied

# What a burst left in the allocator has been given back by then.
REST_S = 16
# The most that memory may grow from the first line on, MiB; and the share of the first line's processor time
# that the last may cost more.
MEMORY_GOAL, COST_GOAL = 20, 0.30

SCRIPT = """
local port = %d
local seed = 20260101 + %d
local hosts, words = {}, {"user", "page", "sort", "token", "item", "q", "lang", "session"}
for i = 1, 12 do hosts[i] = "127.0.0." .. i .. ":" .. port end
function init() math.randomseed(seed) end
function request()
  local host = hosts[math.random(#hosts)]
  local query = "?" .. words[math.random(#words)] .. "=" .. math.random(1000000)
  if math.random(2) == 1 then query = query .. "&" .. words[math.random(#words)] .. "=" .. math.random(100) end
  local path = "/api/v" .. math.random(3) .. "/" .. words[math.random(#words)] .. "/" .. math.random(50000) .. query
  local head = " http://" .. host .. path .. " HTTP/1.1\\r\\nHost: " .. host
    .. "\\r\\nUser-Agent: varied/" .. math.random(40) .. "\\r\\nAccept: application/json\\r\\n"
  if math.random(4) > 1 then return "GET" .. head .. "\\r\\n" end
  local body = '{"name":"' .. words[math.random(#words)] .. math.random(1000000) .. '","count":' .. math.random(1000)
    .. ',"text":"' .. string.rep("abcdefgh ", math.random(30)) .. '"}'
  return "PUT" .. head .. "Content-Type: application/json\\r\\nContent-Length: " .. #body .. "\\r\\n\\r\\n" .. body
end
"""


def query(proxied, sql):
    path = os.path.join(proxied.data, "captures.sqlite")
    out = subprocess.run(["sqlite3", "-readonly", path, sql], capture_output=True, text=True, check=True).stdout
    return int(out.strip() or 0)


def send(proxied, count):
    """At least so many more exchanges, in rounds of seconds; returns how many were answered."""
    answered = 0
    wanted = query(proxied, "SELECT exchange_count FROM store_state") + count
    rate = 10_000
    while True:
        missing = wanted - query(proxied, "SELECT exchange_count FROM store_state")
        if missing <= 0:
            return answered
        script = os.path.join(proxied.folder, "varied.lua")
        with open(script, "w") as file:
            file.write(SCRIPT % (proxied.origin, wanted))
        seconds = max(1, min(60, int(missing / rate)))
        out = subprocess.run(["wrk", "-t1", "-c32", f"-d{seconds}s", "-s", script, f"http://127.0.0.1:{proxied.port}"],
                             capture_output=True, text=True, check=True).stdout
        if "Non-2xx" in out:
            sys.exit(f"not every answer was a 200:\n{out}")
        answered += int(re.search(r"(\d+) requests in", out).group(1))
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))
        proxied.await_rest()


def main():
    missing = [program for program in (*NEEDED, "wrk", "sqlite3") if not shutil.which(program)]
    if len(sys.argv) < 2 or missing:
        sys.exit(__doc__ if len(sys.argv) < 2 else f"not there: {' '.join(missing)}")
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with Proxied(sys.argv[1]) as proxied:
        lines, answered = [], 0
        for goal in [10_000, *range(total // 10, total + 1, total // 10)]:
            count, spent = query(proxied, "SELECT exchange_count FROM store_state"), proxied.processor_s()
            if goal <= count:
                continue
            answered += send(proxied, goal - count)
            now = query(proxied, "SELECT exchange_count FROM store_state")
            time.sleep(REST_S)
            resident = proxied.resident_byte_count()
            lines.append((resident / 2**20, 1e6 * (proxied.processor_s() - spent) / (now - count)))
            memory, cost = lines[-1]
            print(f"{now:9d} exchanges: {memory:6.1f} MiB resident ({memory - lines[0][0]:+5.1f}), "
                  f"{cost:6.1f} us of processor time each", flush=True)
        sizes = {name: os.path.getsize(os.path.join(proxied.data, name)) for name in os.listdir(proxied.data)
                 if os.path.isfile(os.path.join(proxied.data, name))}
        octets = query(proxied, """SELECT sum(ifnull(length(request_head), 0) + ifnull(length(response_head), 0)
          + ifnull(length(request_body), 0) + ifnull(length(response_body), 0)) FROM content""")
        octets += query(proxied, "SELECT ifnull(sum(length(octets)), 0) FROM body_piece")
        store = sum(size for name, size in sizes.items() if name in ("captures.sqlite", "captures.sqlite-wal"))
        side = sum(size for name, size in sizes.items() if re.match(r"captures-(index|search)", name))
        allowed = 1.6 * octets + 300 * now
        print(f"store {store / 2**20:.0f} MiB for {octets / 2**20:.0f} MiB of heads and bodies: "
              f"{store / allowed:.2f} of 1.6 times them and 300 octets a row; index and search {side / 2**20:.0f} MiB")
        kept = query(proxied, "SELECT count(*) FROM exchange WHERE status = 200")
        growth, dearer = max(memory for memory, _ in lines) - lines[0][0], lines[-1][1] / lines[0][1] - 1
        print(f"{answered} answered, {kept} of them and of the last ones under way in the store; "
              f"memory {growth:+.1f} MiB (goal {MEMORY_GOAL:+}), the last line {dearer:+.0%} (goal {COST_GOAL:+.0%})")
        reached = kept >= answered and growth <= MEMORY_GOAL and dearer <= COST_GOAL and store <= allowed
        sys.exit(0 if reached else 1)


main()
