#!/usr/bin/python3
"""Counts the instructions and allocations of the work every request pays for, against committed limits.

  instructions.py PROGRAM [KIND…]          PROGRAM is the built CountedWork; a kind may end in *; all kinds if none is named
  instructions.py PROGRAM [KIND…] --write  makes what is measured, and a little more, the new limits of these kinds

Instructions do not depend on the clock or on who else uses the machine. Each kind of work is done
so many times, and in a second run some more; the difference is what it costs, without the start.
Limits are in instructions.txt beside this file: the kind, the most instructions one may take and the
most blocks of memory it may ask for. A kind without limits fails, and so do limits without a kind. Where
the kernel decides in how many pieces data arrive, the count differs from machine to machine: such kinds have more room.
Needs valgrind, and strip (binutils), since valgrind cannot read all debug information of Swift.
"""
import fnmatch, os, re, shutil, subprocess, sys, tempfile

LIMITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.txt")
# How often the work is done in the first run and in the second. What is recorded stays below 2,048
# exchanges: search files begin so far behind, the index further, and what is done for them depends on time.
COUNTS = {"recorded": (500, 2000), "read": (50, 150), "chunked": (50, 150), "proxied": (200, 600)}
CODING_COUNTS = (2000, 6000)
# How much more than was measured the limit is: a fiftieth, or a tenth where data arrive in many pieces.
ROOM = {"proxied-mebibyte": 1.1}
ROOM_OF_OTHERS = 1.02


def counted(program, kind, count, tool, words):
    """What a tool of valgrind counts while all threads of one run do the work `count` times."""
    command = ["valgrind", *tool, program, kind, str(count)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=900)
    found = re.search(words, run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{kind}: CountedWork failed under valgrind\n{run.stderr[-2000:]}")
    return int(found.group(1).replace(",", ""))


INSTRUCTIONS = (["--tool=callgrind", "--callgrind-out-file=/dev/null"], r"Collected : (\d+)")
ALLOCATIONS = (["--tool=dhat", "--dhat-out-file=/dev/null"], r"Total: +[\d,]+ bytes in ([\d,]+) blocks")


def measured(program, kind):
    """Instructions and allocations of one."""
    first, second = COUNTS.get(kind.split("-")[0], CODING_COUNTS)
    return tuple(
        round((counted(program, kind, second, *tool) - counted(program, kind, first, *tool)) / (second - first))
        for tool in (INSTRUCTIONS, ALLOCATIONS))


def read_limits():
    with open(LIMITS) as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {kind: (int(instructions), int(allocations)) for kind, instructions, allocations in lines}


def known_kinds(program):
    """What the program can do, as it says itself."""
    return subprocess.run([program, "kinds"], capture_output=True, text=True, check=True).stdout.split()


def write_limits(limits, kinds):
    with open(LIMITS, "w") as file:
        file.write("# Kind of work, the most instructions one may take, the most allocations; see instructions.py.\n")
        for kind in sorted(limits, key=kinds.index):
            file.write("%s %d %d\n" % (kind, *limits[kind]))


def main():
    words = sys.argv[1:]
    is_writing = "--write" in words
    words = [word for word in words if word != "--write"]
    if not words:
        sys.exit(__doc__)
    limits = read_limits()
    exceeded = False
    with tempfile.TemporaryDirectory() as folder:
        program = shutil.copy(words[0], os.path.join(folder, "CountedWork"))
        subprocess.run(["strip", "--strip-debug", program], check=True)
        kinds = known_kinds(program)
        chosen = [kind for kind in kinds if any(fnmatch.fnmatch(kind, word) for word in words[1:] or ["*"])]
        if not chosen:
            sys.exit(f"no such kind; there are {' '.join(kinds)}")
        for kind in chosen:
            found = measured(program, kind)
            allowed = limits.get(kind, (0, 0))
            over = any(count > most for count, most in zip(found, allowed))
            exceeded = exceeded or over
            print(f"{kind:25s} {found[0]:8d} instructions, limit {allowed[0]:8d};"
                  f" {found[1]:5d} allocations, limit {allowed[1]:5d}{'  OVER THE LIMIT' if over else ''}",
                  flush=True)
            if is_writing:
                most = found[0] * ROOM.get(kind, ROOM_OF_OTHERS)
                limits[kind] = (round(most, -2 if found[0] > 10000 else -1), found[1])
    if is_writing:
        write_limits(limits, kinds)
    elif set(kinds) != set(limits):
        sys.exit(f"limits and kinds differ: {' '.join(sorted(set(kinds) ^ set(limits)))}")
    elif exceeded:
        sys.exit(1)


if __name__ == "__main__":
    main()
