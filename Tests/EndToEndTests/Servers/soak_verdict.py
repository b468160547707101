"""What a daemon holds in a soak and how long requests take, and whether that rises."""
import asyncio
import collections
import os
import statistics
import sys
import time

SAMPLE_SECONDS = 10
HOUR = 3_600
# What may be held at the end beyond what was held after the warm-up.
MEMORY_RISE_MAX = 0.05
DESCRIPTOR_RISE_MAX = 8
THREAD_RISE_MAX = 2
# And after the first hour, in MiB an hour.
MEMORY_SLOPE_MAX = 1
# How much longer one request of a hundred may take at the end.
P99_RISE_MAX = 0.2

Sample = collections.namedtuple("Sample", "seconds life kib descriptors threads")


class Samples:
    def __init__(self, lives, path):
        self.lives, self.path = lives, path
        self.began = time.monotonic()
        self.all = []
        # Minute → tenths of a millisecond → how many requests took so long.
        self.waits = collections.defaultdict(collections.Counter)

    def now(self):
        with open(f"/proc/{self.lives.pid}/status") as file:
            status = dict(line.split(":", 1) for line in file)
        place = f"/proc/{self.lives.pid}/fd"
        try:
            descriptors = len(os.listdir(place))
        except PermissionError:  # Only root sees which they are.
            descriptors = os.stat(place).st_size
        return Sample(time.monotonic() - self.began, self.lives.number, int(status["VmRSS"].split()[0]),
                      descriptors, int(status["Threads"]))

    async def watch(self):
        while True:
            self.all.append(self.now())
            if self.path:
                with open(self.path, "a") as file:
                    print(*(round(value, 1) for value in self.all[-1]), sep="\t", file=file)
            await asyncio.sleep(SAMPLE_SECONDS)

    def took(self, seconds):
        minute = int((time.monotonic() - self.began) / 60)
        self.waits[minute].update(round(each * 10_000) for each in seconds)

    def settled(self):
        """The samples of each life behind its first fifth; a life that was cut by the end may have too few."""
        lives = collections.defaultdict(list)
        for sample in self.all:
            lives[sample.life].append(sample)
        found = []
        for life in lives.values():
            length = life[-1].seconds - life[0].seconds
            found.append([each for each in life if each.seconds - life[0].seconds >= length / 5])
        return [life for life in found if len(life) >= 10]

    def verdict(self):
        """Prints the figures; what of them rises."""
        lives = self.settled()
        if not lives:
            sys.exit("soak: too short for a verdict: two minutes at least, between kills too")
        rising = []
        print(f"{'':12}{'after warm-up':>15}{'median':>10}{'highest':>10}{'rise':>10}{'allowed':>10}")
        for name in ["kib", "descriptors", "threads"]:
            values = [getattr(each, name) for life in lives for each in life]
            allowed = {"kib": MEMORY_RISE_MAX * statistics.median(values), "descriptors": DESCRIPTOR_RISE_MAX,
                       "threads": THREAD_RISE_MAX}[name]
            risen = statistics.median(rise([(each.seconds, getattr(each, name)) for each in life]) for life in lives)
            rising += [name] if risen > allowed else []
            middle = statistics.median(values)
            print(f"{name:12}{values[0]:15}{middle:10.0f}{max(values):10}{risen:10.1f}{allowed:10.1f}")
        self.print_drift()
        return rising + self.slope([life for life in lives if life[0].seconds >= HOUR])

    def slope(self, lives):
        """Of memory, after the first hour, in one life: the median of the lives'."""
        if not lives:
            return []
        slopes = [rise([(each.seconds, each.kib) for each in life]) / (life[-1].seconds - life[0].seconds)
                  for life in lives]
        mib = statistics.median(slopes) * HOUR / 1_024
        print(f"memory after the first hour: {mib:+.2f} MiB an hour, allowed {MEMORY_SLOPE_MAX}")
        return ["memory after the first hour"] if mib >= MEMORY_SLOPE_MAX else []

    def print_drift(self):
        """Of the 99th percentiles of each minute; no failure, because it depends on what else the machine does."""
        minutes = sorted(self.waits)
        points = [(minute, p99(self.waits[minute]) / 10) for minute in minutes if minute >= minutes[-1] / 5]
        if len(points) < 5:
            return
        middle = statistics.median(wait for _, wait in points)
        share = rise(points) / middle
        print(f"p99 of planned requests: {middle:.1f} ms (median of the minutes), {share:+.0%} by the end, "
              f"allowed {P99_RISE_MAX:.0%}{'' if share < P99_RISE_MAX else ' (MISSED)'}")


def p99(counts):
    left = sum(counts.values()) / 100
    for value in sorted(counts, reverse=True):
        left -= counts[value]
        if left <= 0:
            return value
    return 0


def rise(points):
    """How much a line through the points rises from the first to the last: the median of the slopes
    between points half of all apart, which single peaks do not move."""
    half = len(points) // 2
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in zip(points, points[half:])]
    return statistics.median(slopes) * (points[-1][0] - points[0][0])
