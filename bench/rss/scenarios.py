"""The scenarios of bench/rss, what of each is told beside its peak, and the bars."""

from dataclasses import dataclass
from typing import Callable, Optional

ROOM_KIB = 8 << 10  # of the service's bar, beside what is live


@dataclass
class Said:
    """What one run told."""

    points: dict  # name: fields, in the order of time
    bare: dict  # the same of the program with threads that do not allocate
    threads: int

    def kib(self, point, field="rss_kib"):
        return int(self.points[point][field])

    def ratios(self, word, room_kib=0):
        """RSS over live bytes at the points whose names begin so."""
        those = [fields for name, fields in self.points.items() if name.startswith(word)]
        return [(int(f["rss_kib"]) - room_kib) / max(int(f["live_kib"]), 1) for f in those]


def quiet_ratio(said):
    return max(said.ratios("quiet", ROOM_KIB))


def per_thread_kib(said):
    return (said.kib("idle") - int(said.bare["asleep"]["rss_kib"])) / said.threads


def stays_mib(said):
    return (said.kib("idle") - said.kib("start")) / 1024


def over_live(said):
    return said.ratios("idle")[-1]


def plateau(word):
    """The worst ratio in the second half of the points."""

    def worst_of_second_half(said):
        ratios = said.ratios(word)
        return max(ratios[len(ratios) // 2 :])

    return worst_of_second_half


def child_mib(said):
    return said.kib("child", "dirty_kib") / 1024


@dataclass(frozen=True)
class Scenario:
    name: str
    title: str
    end: str  # the point that says what stays, or the beginning of its name
    figure: Optional[Callable] = None
    figure_is: str = ""
    at_most: Optional[float] = None  # the bar of the figure
    lanes: int = 6  # how many allocators run at a time: they wait for most of it
    seconds: tuple = (0, 0)  # paced by the clock: in full, QUICK
    threads: int = 0  # of a crowd that is compared with one that does not allocate
    is_timed: bool = False
    is_traced: bool = False
    samples: int = 100


PLATEAU = "RSS over live, the worst of the second half"

SCENARIOS = [
    Scenario("burst", "Burst of 256 MiB, then no call", "idle", stays_mib, "MiB that stay after 3 s idle"),
    Scenario(
        "service",
        "Service: load and quiet in turn",
        "quiet",
        quiet_ratio,
        "RSS less 8 MiB, over live, 3 s into the worst quiet phase",
        1.15,
        seconds=(60, 10),
        is_traced=True,
        samples=200,
    ),
    Scenario("survivors_200", "1 in 20 of a million 200-byte objects", "idle", over_live, "RSS over live"),
    Scenario("survivors_64", "1 in 100 of a million 64-byte objects", "idle", over_live, "RSS over live"),
    Scenario(
        "sleeper",
        "A allocates 1 GiB, B frees it, A sleeps",
        "idle",
        stays_mib,
        "MiB that stay after 3 s asleep",
        8,
        lanes=3,
    ),
    Scenario("free_only", "Another thread only frees", "idle", over_live, "RSS over live", lanes=2),
    Scenario(
        "idle_threads",
        "2,000 threads used 20 sizes and sleep",
        "idle",
        per_thread_kib,
        "KiB a thread, above the stacks",
        40,
        lanes=3,
        threads=2000,
    ),
    Scenario(
        "block_threads",
        "4,000 threads with a block of 1,000 bytes",
        "idle",
        per_thread_kib,
        "KiB a thread, above the stacks",
        8,
        lanes=3,
        threads=4000,
    ),
    Scenario("churn", "6,400 threads, 16 at a time", "idle", over_live, "RSS over live", lanes=2),
    Scenario("sawtooth", "Sawtooth: 32 to 64 MiB", "full", plateau("full"), PLATEAU, 1.25, seconds=(30, 8)),
    Scenario("shifting", "Sizes that move, 64 MiB", "moved", plateau("moved"), PLATEAU, 1.25, seconds=(32, 8)),
    Scenario(
        "fork_child", "A forked child frees half of 128 MiB", "child", child_mib, "MiB that a child makes its own", 2
    ),
    Scenario("buffers", "Buffers of 5 to 25 MB, replaced 300 times", "replaced", lanes=1, is_timed=True, is_traced=True),
]

MOST_MAPS = 1000
MAPS_OF = ("sawtooth", "shifting")
GEOMEAN_AT_MOST, ROW_AT_MOST = 0.95, 1.10


def figure_of(scenario, said):
    return scenario.figure(said) if scenario.figure else None


def end_point(scenario, said):
    """The fields of the last point whose name begins with the scenario's."""
    return [fields for name, fields in said.points.items() if name.startswith(scenario.end)][-1]
