"""One run of a row on an allocator: launched, timed, and done again when it was disturbed."""

import os
import re
import subprocess
from dataclasses import dataclass

# A run is disturbed when other processes, or the host, had more of the processors than this share.
# The kernel counts in steps of 10 ms per processor, so a little is forgiven in short runs.
DISTURBED_SHARE, DISTURBED_LEAST_SECONDS = 0.05, 0.04

# Warming: as much as the row ever had resident, and a reserve. Measured on a virtual machine whose cold
# pages took 13 us and whose warm ones took 2 us: with 32 MiB beyond the need no run met a cold page.
# A program with several processes needs more than its largest.
WARM_FIRST_MIB, WARM_RESERVE_MIB, WARM_SHARE_OF_FREE = 48, 32, 0.6
WARM_FACTOR = {"program": 2.0}
WARM_FACTOR_OTHERWISE = 1.25
COLD_REPEATS = 3

FIGURE = re.compile(r"(?:^|\s)([a-z_]+)=([0-9.]+)(?=\s|$)")
NOT_INSTALLED = "exit:77"  # what a row says whose program is not there
NOT_PRELOADED = "cannot be preloaded"


@dataclass
class Run:
    row: str
    group: str
    allocator: str
    round: int = 0
    seconds: float = 0.0  # what the row says of itself, or else the wall time
    operations: int = 0  # as the row tells them
    wall: float = 0.0
    user: float = 0.0
    system: float = 0.0
    peak_kib: int = 0
    voluntary: int = 0
    involuntary: int = 0
    others: float = 0.0
    disturbed: int = 0
    redos: int = 0
    failed: int = 0
    end: str = ""


class LaunchError(Exception):
    pass


def free_mib():
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) // 1024
    return 0


class Measurer:
    """Runs rows; remembers from run to run how much memory each of them needs."""

    def __init__(self, settings, allowed_redos):
        self.launcher = str(settings.programs / "launch")
        self.output = str(settings.out / "output")
        self.redos = settings.redos
        self.clock = settings.clock
        self.allowed_redos = allowed_redos  # of the whole bench: a busy machine must not hold it up
        self.processors = os.cpu_count()
        self.needed_kib = {}
        self.environment = dict(
            os.environ,
            BUILD=str(settings.build),
            BENCH=str(settings.programs),
            BENCH_SOURCE=str(settings.source),
            SCALE=f"{settings.scale:g}",
        )
        for name in ("LD_PRELOAD", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
            self.environment.pop(name, None)
        self.environment["LC_ALL"] = "C"

    def measure(self, row, allocator, timeout_seconds):
        """The least disturbed of as many attempts as it takes, at most 1 + redos."""
        best = self._warm_attempt(row, allocator, timeout_seconds)
        redos = 0
        while best.disturbed and not best.failed and redos < self.redos and self.allowed_redos > 0:
            redos += 1
            self.allowed_redos -= 1
            again = self._warm_attempt(row, allocator, timeout_seconds)
            if again.failed or not again.disturbed or again.others < best.others:
                best = again
        best.redos = redos
        return best

    def _warm_attempt(self, row, allocator, timeout_seconds):
        """Does a run again that needed more memory than was warm."""
        for _ in range(COLD_REPEATS):
            warm_mib = self._warm_mib(row)
            run = self._attempt(row, allocator, warm_mib, timeout_seconds)
            if run.failed:
                break
            self.needed_kib[row.name] = max(run.peak_kib, self.needed_kib.get(row.name, 0))
            if run.peak_kib <= warm_mib * 1024:
                break
        return run

    def _warm_mib(self, row):
        if row.name not in self.needed_kib:
            return WARM_FIRST_MIB
        factor = WARM_FACTOR.get(row.group, WARM_FACTOR_OTHERWISE)
        mib = self.needed_kib[row.name] * factor / 1024 + WARM_RESERVE_MIB
        return int(min(mib, free_mib() * WARM_SHARE_OF_FREE))

    def _attempt(self, row, allocator, warm_mib, timeout_seconds):
        preload = "" if row.measures_itself else allocator.library
        words = [self.launcher, str(warm_mib), f"{timeout_seconds:.1f}", preload]
        words += [self.output, row.command]
        environment = dict(self.environment, BENCH_PRELOAD=allocator.library)
        launched = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment
        )
        if launched.returncode != 0:
            raise LaunchError(launched.stderr.strip() or f"launch: status {launched.returncode}")
        with open(self.output, encoding="utf-8", errors="replace") as file:
            said = file.read()
        return self._run_from(row, allocator, launched.stdout, said)

    def _run_from(self, row, allocator, line, said):
        fields = dict(word.split("=", 1) for word in line.split())
        run = Run(row.name, row.group, allocator.name, end=fields["end"])
        for name in ("wall", "user", "system", "others"):
            setattr(run, name, float(fields[name]))
        for name in ("peak_kib", "voluntary", "involuntary"):
            setattr(run, name, int(fields[name]))
        own = dict(FIGURE.findall(said))
        if row.measures_itself:
            run.user = float(own.get("user_seconds", run.user))
            run.system = float(own.get("system_seconds", run.system))
            run.peak_kib = int(own.get("peak_rss_kib", run.peak_kib))
        run.seconds = float(own.get("seconds", run.wall))
        if self.clock == "cpu":
            run.seconds = run.user + run.system
        run.operations = int(own.get("operations", 0))
        share = max(DISTURBED_LEAST_SECONDS, DISTURBED_SHARE * run.wall * self.processors)
        run.disturbed = int(run.others > share)
        if NOT_PRELOADED in said:
            run.end = "not-preloaded"
        run.failed = int(run.end != "exit:0")
        return run

    def last_words(self):
        """The end of what the latest run wrote, for whoever wants to know why it failed."""
        with open(self.output, encoding="utf-8", errors="replace") as file:
            return file.read()[-400:].strip()
