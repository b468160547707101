#!/usr/bin/python3
"""Measures proxyd beside other proxies in one run on loopback, and prints ratios of processor time.

  run.py PROXYD [--against OLD] [--only plain,post] [--peers haproxy,squid] [--rounds 7] [--seconds 4] [--json FILE]

Why processor time: a throughput depends on what else the machine does. The user and kernel time that a
proxy takes for a request is steadier, and its ratio to a peer's, measured seconds before or after, is what
is quoted: the median over all rounds, with the lowest and the highest. In each round every program gets
the same load, in an order that changes from round to round, and the next one only once it is at rest.
--against measures another proxyd, such as an older build, in the same rounds. "later" is what a proxy
still did after the load (an index, search files): it is not part of the other figures.

Instructions are counted by instructions.py. For where the time goes: perf record -e cpu-clock -g -p PID.
Debian has the programs: nginx-light haproxy squid-openssl wrk hey curl socat nghttp2-client nghttp2-proxy
sqlite3; mitmdump is looked for in PATH, or named with --mitmdump.
"""
import argparse, json, os, shutil, statistics, sys, time

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import loads, programs

# How long after a load what a proxy does still counts: a recorder finishes what it owes.
SETTLE_S = 0.5
REST_TIMEOUT_S = 60


def await_rest(proxy):
    """Waits until a proxy has not worked for as long as it may put work off; the seconds it worked meanwhile."""
    start = now = sum(proxy.processor_s())
    quiet_s, until = 0, time.monotonic() + REST_TIMEOUT_S
    while quiet_s < proxy.puts_off_s and time.monotonic() < until:
        time.sleep(1)
        before, now = now, sum(proxy.processor_s())
        quiet_s = quiet_s + 1 if now - before <= 0.01 else 0
    return now - start


def measure(scenario, proxy, origin, stage, seconds):
    user, kernel = proxy.processor_s()
    outcome = loads.run(scenario, proxy, origin, stage, seconds)
    time.sleep(SETTLE_S)
    user_after, kernel_after = proxy.processor_s()
    count = max(outcome.done, 1)
    return {"proxy": proxy.name, "scenario": scenario, "requests": outcome.done, "failed": outcome.failed,
            "latency": outcome.latency, "user_us": 1e6 * (user_after - user) / count,
            "kernel_us": 1e6 * (kernel_after - kernel) / count, "resident_mib": proxy.resident_mib(), "later_us": 0.0}


def print_row(row):
    print(f"{row['scenario']:7s} {row['proxy']:9s} user {row['user_us']:10.1f} us  kernel {row['kernel_us']:10.1f} us  "
          f"{row['requests']:7d} done  median {row['latency']:>9s}  {row['resident_mib']:6.1f} MiB"
          + (f"  FAILED {row['failed']}" if row["failed"] else ""), flush=True)


def spread(values):
    return f"{statistics.median(values):8.3f} ({min(values):.3f} to {max(values):.3f})"


def total_us(row):
    return row["user_us"] + row["kernel_us"]


def print_summary(rows, scenarios, names):
    print("\nmedians, microseconds for a request")
    for scenario in scenarios:
        for name in names:
            mine = [row for row in rows if row["scenario"] == scenario and row["proxy"] == name]
            if mine:
                user, kernel, later = (statistics.median(row[key] for row in mine)
                                       for key in ("user_us", "kernel_us", "later_us"))
                print(f"  {scenario:7s} {name:9s} {user + kernel:11.1f} = user {user:.1f} + kernel {kernel:.1f}; later {later:.1f}")
    print("\nprocessor time of proxyd as a multiple of the other's, median of the rounds (lowest to highest)")
    for scenario in scenarios:
        mine = [row for row in rows if row["scenario"] == scenario and row["proxy"] == "proxyd"]
        for name in names[1:]:
            others = [row for row in rows if row["scenario"] == scenario and row["proxy"] == name]
            if mine and others:
                ratios = [total_us(a) / max(total_us(b), 1e-9) for a, b in zip(mine, others)]
                print(f"  {scenario:7s} / {name:9s} {spread(ratios)}")


def print_recorded(proxyd, rows):
    """A recorder that loses exchanges must not win."""
    sent = sum(32 if row["scenario"].startswith("ws") else row["requests"] for row in rows if row["proxy"] == proxyd.name)
    kept, size = proxyd.recorded()
    # Streams that were open when a load ended are recorded and not counted.
    verdict = "" if kept >= sent else f"  {sent - kept} MISSING"
    print(f"\n{proxyd.name} recorded {kept} of {sent} exchanges in {size:.0f} MiB{verdict}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("proxyd")
    parser.add_argument("--against", metavar="OLD")
    parser.add_argument("--only", default=",".join(loads.SCENARIOS))
    parser.add_argument("--peers", default="haproxy,nghttpx,squid,mitmdump")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=4, help="of a load that is not a number of requests")
    parser.add_argument("--mitmdump", default=shutil.which("mitmdump"))
    parser.add_argument("--json", metavar="FILE")
    chosen = parser.parse_args()
    chosen.scenarios = [name for name in chosen.only.split(",") if name]
    unknown = [name for name in chosen.scenarios if name not in loads.SCENARIOS]
    if unknown:
        parser.error(f"no such scenario: {' '.join(unknown)}; there are {' '.join(loads.SCENARIOS)}")
    missing = [name for name in sorted(loads.NEEDED) if not shutil.which(name)]
    if missing:
        parser.error(f"not installed: {' '.join(missing)}")
    return chosen


def start(chosen, stage, origin):
    """proxyd first, then the older one, then its peers."""
    proxies = [programs.Proxyd(stage, origin, chosen.proxyd)]
    if chosen.against:
        proxies.append(programs.Proxyd(stage, origin, chosen.against, "older"))
    makers = programs.peer_makers(chosen.mitmdump)
    for name in chosen.peers.split(","):
        if name in makers:
            proxies.append(makers[name](stage, origin))
        elif name:
            print(f"{name} is left out: it is not installed")
    return proxies


def main():
    chosen = arguments()
    with programs.Stage() as stage:
        origin = programs.Origin(stage, needs_big=any(name.startswith("big") for name in chosen.scenarios))
        proxies = start(chosen, stage, origin)
        for proxy in proxies:
            print(f"{proxy.name}: {proxy.version}")
        print(f"{os.cpu_count()} processors; {chosen.rounds} rounds\n")
        rows = []
        for scenario in chosen.scenarios:
            playing = [proxy for proxy in proxies if scenario in proxy.scenarios]
            for number in range(chosen.rounds):
                for proxy in playing if number % 2 == 0 else reversed(playing):
                    row = measure(scenario, proxy, origin, stage, chosen.seconds)
                    row["later_us"] = 1e6 * await_rest(proxy) / max(row["requests"], 1)
                    rows.append(row)
                    print_row(row)
        print_summary(rows, chosen.scenarios, [proxy.name for proxy in proxies])
        for proxy in proxies:
            if isinstance(proxy, programs.Proxyd):
                print_recorded(proxy, rows)
        if chosen.json:
            with open(chosen.json, "w") as file:
                json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
