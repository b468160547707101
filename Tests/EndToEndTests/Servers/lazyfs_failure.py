"""When and how the power of a run fails, and how LazyFS is told."""

# How long there is load, at most.
SECONDS_MAX = 3


class Failure:
    """How the power of one run fails."""

    def __init__(self, chance, store):
        log = store + "-wal"
        self.seconds = chance.uniform(0.1, SECONDS_MAX)
        self.name = chance.choices(
            ["any moment", "a flush", "a write", "a torn write", "torn writes"], [4, 2, 1, 2, 2])[0]
        self.injection = ""
        if self.name == "any moment":
            return
        self.seconds = SECONDS_MAX
        # About as many as there are.
        path, writes, flushes = chance.choice([(log, 4_000, 8), (log, 4_000, 8), (store, 1_200, 3)])
        parts = chance.randint(2, 8)
        if self.name == "torn writes":
            persisted = sorted(chance.sample(range(1, chance.choice([10, 40, 250])), chance.randint(1, 9)))
            self.injection = torn_sequence(path, chance.randint(1, flushes), persisted)
        elif self.name == "a torn write":
            persisted = sorted(chance.sample(range(1, parts + 1), chance.randint(1, parts - 1)))
            self.injection = torn_write(path, chance.randint(1, writes), parts, persisted)
        else:
            call, count = ("fsync", flushes) if self.name == "a flush" else ("write", writes)
            timing = chance.choice(["before", "after"])
            self.injection = failure_at(path, call, timing, chance.randint(1, count))


def torn_write(path, occurrence, parts, persisted):
    """Of the write of that number to a file, some parts of equal length are kept, and the power fails."""
    return injection("torn-op", file=path, occurrence=occurrence, parts=parts, persist=persisted)


def torn_sequence(path, occurrence, persisted):
    """Of the writes between two flushes of a file, that many flushes on, some are kept, and the power fails
    with the last of them."""
    return injection("torn-seq", op="write", file=path, occurrence=occurrence, persist=persisted)


def failure_at(path, call, timing, occurrence):
    """The power fails before or after the call of that number to a file."""
    values = {"from": path, "op": call, "timing": timing, "occurrence": occurrence, "crash": True}
    return injection("clear-cache", **values)


def injection(kind, **values):
    lines = ["", "[[injection]]", f'type = "{kind}"']
    for name, value in values.items():
        text = f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else value
        lines.append(f"{name} = {text}")
    return "\n".join(lines) + "\n"
