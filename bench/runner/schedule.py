"""Who runs when: rounds of rows, and in each row every allocator once, in an order that rotates."""

import time

from allocators import Allocator
from measure import NOT_INSTALLED, Measurer
from progress import Progress

SPARE_REDOS = 20
BUDGET_GRACE_SECONDS = 10
NO_ALLOCATOR = Allocator("-", "", (), False)  # what a physical limit runs on


class Schedule:
    """The runs of a bench, in order, each given to `store` as it ends."""

    def __init__(self, settings, rows, allocators, store):
        self.settings, self.rows, self.store = settings, rows, store
        self.allocators = allocators
        self.runs = []
        self.broken = set()  # (row, allocator) that failed once: not run again
        self.left_out = []  # rows whose programs are missing, or that the budget had no room for
        planned = len(rows) * len(allocators) * settings.rounds
        self.measurer = Measurer(settings, planned + SPARE_REDOS)
        self.progress = Progress(rows, settings.rounds)

    def run(self):
        for number in range(1, self.settings.rounds + 1):
            skipped = self._run_round(number)
            if number == 1:
                self.left_out = skipped
        self.progress.done()
        return self.runs

    def _run_round(self, number):
        skipped = []
        for position, row in enumerate(self.rows):
            if number > 1 and row in self.left_out:
                continue
            if not self._fits(row) or not self._run_row(number, position, row):
                skipped.append(row)
        return skipped

    def _budget_left(self):
        return self.settings.budget_seconds - (time.time() - self.settings.begin)

    def _fits(self, row):
        return self.progress.expected(row) < self._budget_left()

    def _order(self, number, row):
        if row.is_limit:
            return [NO_ALLOCATOR]
        start = (number - 1) % len(self.allocators)
        return self.allocators[start:] + self.allocators[:start]

    def _run_row(self, number, position, row):
        """False, and nothing is kept, when the row's program is not installed, or when the budget was
        overdrawn before all allocators had their turn."""
        begin, runs = time.monotonic(), []
        for allocator in self._order(number, row):
            if (row.name, allocator.name) in self.broken:
                continue
            if self._budget_left() < -BUDGET_GRACE_SECONDS:
                return False
            self.progress.show(number, position, allocator)
            runs.append(self._run_one(number, row, allocator))
            if runs[-1].end == NOT_INSTALLED:
                return False
        self.runs += runs
        for run in runs:
            self.store(run)
        self.progress.row_took(row, time.monotonic() - begin)
        return True

    def _run_one(self, number, row, allocator):
        run = self.measurer.measure(row, allocator, self.settings.timeout_seconds)
        run.round = number
        if run.failed and run.end != NOT_INSTALLED:
            self.broken.add((row.name, allocator.name))
            words = self.measurer.last_words().replace("\n", "\n    ")
            self.progress.say(f"{row.name} failed on {allocator.name}: {run.end}\n    {words}")
        return run
