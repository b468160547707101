#!/usr/bin/python3
"""Counts the instructions of the work every request pays for, and compares them with committed limits.

  instructions.py PROGRAM          PROGRAM is the built CountedWork
  instructions.py PROGRAM --write  takes what is measured, and a tenth more, for the new limits

Instructions do not depend on the clock or on who else uses the machine. Each kind of work is done
so many times, and in a second run some more; the difference is what it costs, without the start.
Limits are in instructions.txt beside this file: the kind and the most instructions one may take. A kind
without a limit fails, and so does a limit without a kind.
Needs valgrind, and strip (binutils), since valgrind cannot read all debug information of Swift.
"""
import os, re, shutil, subprocess, sys, tempfile

LIMITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.txt")
# How often the work is done in the first run and in the second. What is recorded stays below 2,048
# exchanges: search files begin so far behind, the index further, and what is done for them depends on time.
COUNTS = {"recorded": (500, 2000), "read": (50, 150), "chunked": (50, 150)}
CODING_COUNTS = (2000, 6000)


def instructions(program, kind, count):
    """What all threads of one run execute."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, kind, str(count)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=900)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{kind}: CountedWork failed under valgrind\n{run.stderr[-2000:]}")
    return int(found.group(1))


def measured(program, kind):
    first, second = COUNTS.get(kind.split("-")[0], CODING_COUNTS)
    return round((instructions(program, kind, second) - instructions(program, kind, first)) / (second - first))


def read_limits():
    with open(LIMITS) as file:
        pairs = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {kind: int(limit) for kind, limit in pairs}


def known_kinds(program):
    """What the program can do, as it says itself."""
    return subprocess.run([program, "kinds"], capture_output=True, text=True, check=True).stdout.split()


def write_limits(results):
    with open(LIMITS, "w") as file:
        file.write("# Kind of work, and the most instructions one may take; see instructions.py.\n")
        for kind, count in results.items():
            file.write(f"{kind} {round(count * 1.1, -2 if count > 10000 else -1):.0f}\n")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    limits = read_limits()
    with tempfile.TemporaryDirectory() as folder:
        program = shutil.copy(sys.argv[1], os.path.join(folder, "CountedWork"))
        subprocess.run(["strip", "--strip-debug", program], check=True)
        kinds = known_kinds(program)
        results = {}
        for kind in kinds:
            results[kind] = measured(program, kind)
            verdict = "" if results[kind] <= limits.get(kind, 0) else "  OVER THE LIMIT"
            print(f"{kind:16s} {results[kind]:8d} instructions, limit {limits.get(kind, 0):8d}{verdict}", flush=True)
    if "--write" in sys.argv[2:]:
        write_limits(results)
    elif set(kinds) != set(limits):
        sys.exit(f"limits and kinds differ: {' '.join(sorted(set(kinds) ^ set(limits)))}")
    elif any(results[kind] > limit for kind, limit in limits.items()):
        sys.exit(1)


main()
