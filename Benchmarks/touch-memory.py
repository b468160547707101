#!/usr/bin/python3
"""Uses some of the memory that is free, once, and leaves it.

  touch-memory.py [MIB]

A virtual machine gets memory from its host when it is used for the first time, and whoever does so pays
for it: a program that writes files seems to take more processor time on a machine that was just started.
At most a quarter of what is available; 4096 MiB where nothing is said.
"""
import mmap, re, sys

PAGE = mmap.PAGESIZE


def main():
    with open("/proc/meminfo") as file:
        available = int(re.search(r"MemAvailable:\s+(\d+) kB", file.read()).group(1)) * 1024
    wanted = (int(sys.argv[1]) if len(sys.argv) > 1 else 4096) << 20
    size = min(wanted, available // 4) // PAGE * PAGE
    with mmap.mmap(-1, size) as memory:
        for place in range(0, size, PAGE):
            memory[place] = 1


main()
