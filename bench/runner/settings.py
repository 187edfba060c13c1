"""What the caller asks for, by variables of make or of the environment."""

import os
import shlex
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# In the order in which the command is written down.
VARIABLES = ["QUICK", "ROWS", "ROUNDS", "SCALE", "ALLOCATORS", "ALLOC", "CLOCK", "REDOS", "TIMEOUT", "RECORD"]
QUICK_SECONDS = 140  # with the build; a row that goes on for too long may add half a minute


@dataclass
class Settings:
    build: Path
    row_files: list
    words: list
    wanted: list  # names of allocators; all when empty
    extra: str
    rounds: int
    scale: float
    redos: int  # of one run that was disturbed
    timeout_seconds: float
    begin: float  # of the whole bench, in seconds since the epoch
    budget_seconds: float  # from then on; infinite unless QUICK
    clock: str  # what `seconds` are: the row's own (wall), or all processor time (cpu)
    record: bool  # whether the committed results are rewritten
    quick: bool
    command: str = field(default="make bench")

    @property
    def programs(self):
        return self.build / "bench"

    @property
    def source(self):
        return ROOT / "bench"

    @property
    def out(self):
        """Where every bench leaves what it has found; the recorded ones are copied from there."""
        return self.build / "bench" / "results"


def from_environment():
    def value(name, otherwise):
        return os.environ.get(name) or otherwise

    quick = value("QUICK", "0") != "0"
    partial = any(value(name, "") for name in ("ROWS", "ALLOCATORS", "ROW_FILES", "SCALE", "CLOCK"))
    row_files = value("ROW_FILES", "").split()
    given = [
        f"{name}={shlex.quote(os.environ[name])}" for name in VARIABLES if os.environ.get(name)
    ]
    return Settings(
        build=Path(value("BUILD", str(ROOT / "build"))),
        row_files=[Path(f) for f in row_files] or sorted((ROOT / "bench/rows").glob("*.tsv")),
        words=value("ROWS", "").split(),
        wanted=value("ALLOCATORS", "").split(),
        extra=value("ALLOC", ""),
        rounds=int(value("ROUNDS", "2" if quick else "5")),
        scale=float(value("SCALE", "0.2" if quick else "1")),
        redos=int(value("REDOS", "0" if quick else "3")),
        timeout_seconds=float(value("TIMEOUT", "20" if quick else "120")),
        begin=float(value("BEGIN", str(time.time()))),
        budget_seconds=QUICK_SECONDS if quick else float("inf"),
        clock=value("CLOCK", "wall"),
        record=value("RECORD", "0" if quick or partial else "1") != "0",
        quick=quick,
        command=" ".join(["make bench"] + given),
    )
