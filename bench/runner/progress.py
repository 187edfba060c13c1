"""What the bench is doing, on stderr: one line that changes on a terminal, else a line now and then."""

import sys
import time

LINE_EVERY_SECONDS = 15


def duration(seconds):
    minutes, seconds = divmod(int(seconds + 0.5), 60)
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


class Progress:
    """Estimates the time left from what each row took before; an unknown row takes the average."""

    def __init__(self, rows, rounds):
        self.rows, self.rounds = rows, rounds
        self.took = {}  # row: seconds of its latest turn, all allocators
        self.begin = time.monotonic()
        self.last_line = self.begin
        self.is_terminal = sys.stderr.isatty()

    def elapsed(self):
        return time.monotonic() - self.begin

    def expected(self, row):
        if row.name in self.took:
            return self.took[row.name]
        return sum(self.took.values()) / len(self.took) if self.took else 0.0

    def row_took(self, row, seconds):
        self.took[row.name] = seconds

    def left(self, round_number, position):
        """Seconds from the row at this position of this round to the end."""
        rest = sum(self.expected(row) for row in self.rows[position:])
        return rest + (self.rounds - round_number) * sum(self.expected(row) for row in self.rows)

    def show(self, round_number, position, allocator):
        now = time.monotonic()
        if not self.is_terminal and now - self.last_line < LINE_EVERY_SECONDS:
            return
        self.last_line = now
        left = f", about {duration(self.left(round_number, position))} left" if self.took else ""
        text = (
            f"round {round_number} of {self.rounds}, row {position + 1} of {len(self.rows)}, "
            f"{self.rows[position].name} on {allocator.name}{left}"
        )
        end = "" if self.is_terminal else "\n"
        start = "\r\033[K" if self.is_terminal else ""
        print(f"{start}{text}", end=end, file=sys.stderr, flush=True)

    def say(self, text):
        """A line that stays."""
        print(f"\r\033[K{text}" if self.is_terminal else text, file=sys.stderr, flush=True)

    def done(self):
        if self.is_terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
