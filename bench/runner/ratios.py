"""How allocators compare: ratios to the best peer of a row, their geometric means, and the bars."""

import math
from dataclasses import dataclass

from allocators import HEPTA, SYSTEM, DEBIAN
from rows import GROUPS, LIMIT

TIME, PEAK = "seconds", "peak_kib"
PEERS = [SYSTEM] + [name for name, _, _ in DEBIAN]

GEOMEAN_TIME_AT_MOST = 0.97
GEOMEAN_TIME_OF_A_PEER_AT_MOST = 0.85
TIME_OF_A_ROW_AT_MOST = 1.10
GEOMEAN_PEAK_AT_MOST = 1.00
PEAK_OF_A_ROW_AT_MOST = 1.15
HANDOVER_TIME_AT_MOST = 0.50
ROW_AT_MOST = {TIME: TIME_OF_A_ROW_AT_MOST, PEAK: PEAK_OF_A_ROW_AT_MOST}


def geomean(values):
    values = list(values)
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else None


@dataclass
class Bar:
    """Something that hepta must keep to; value is None when nothing was measured that could tell."""

    text: str
    value: float
    at_most: float
    detail: str = ""

    @property
    def holds(self):
        return self.value is not None and self.value <= self.at_most + 1e-9


class Comparison:
    def __init__(self, results):
        self.of = {(result.row, result.allocator): result for result in results}
        self.group_of = {r.row: r.group for r in results if r.group != LIMIT}
        self.rows = list(self.group_of)
        self.groups = [group for group in GROUPS if group in self.group_of.values()]
        present = {r.allocator for r in results if r.group != LIMIT}
        extra = sorted(present - set(PEERS) - {HEPTA})
        self.allocators = [n for n in [HEPTA, *extra, *PEERS] if n in present]
        # Without any peer the others take their place: two builds of hepta can be compared.
        self.peers = [name for name in PEERS if name in present] or extra
        self.limits = [result for result in results if result.group == LIMIT]

    def rows_of(self, group):
        """All rows when group is None."""
        return [row for row in self.rows if group in (None, self.group_of[row])]

    def value(self, row, allocator, quantity):
        """None for a run that failed or did not take place."""
        result = self.of.get((row, allocator))
        if result is None or result.failed or result.runs == 0:
            return None
        return getattr(result, quantity) or None

    def failed(self, row, allocator):
        result = self.of.get((row, allocator))
        return result is not None and result.failed > 0

    def best_peer(self, row, quantity):
        """(value, name), or None when no peer has one."""
        values = [(self.value(row, name, quantity), name) for name in self.peers]
        return min((pair for pair in values if pair[0] is not None), default=None)

    def ratio(self, row, allocator, quantity):
        """To the best of the Debian peers in this row."""
        value, best = self.value(row, allocator, quantity), self.best_peer(row, quantity)
        return value / best[0] if value is not None and best else None

    def ratio_to(self, row, peer, quantity):
        """Of hepta to one peer."""
        value, other = self.value(row, HEPTA, quantity), self.value(row, peer, quantity)
        return value / other if value is not None and other is not None else None

    def geomean_to_best(self, allocator, group, quantity):
        ratios = (self.ratio(row, allocator, quantity) for row in self.rows_of(group))
        return geomean(ratio for ratio in ratios if ratio is not None)

    def geomean_to_peer(self, peer, group, quantity):
        ratios = (self.ratio_to(row, peer, quantity) for row in self.rows_of(group))
        return geomean(ratio for ratio in ratios if ratio is not None)

    def worst_rows(self, quantity):
        """(ratio, row) of hepta, the worst first; a row on which hepta failed is infinitely bad."""
        pairs = []
        for row in self.rows:
            ratio = math.inf if self.failed(row, HEPTA) else self.ratio(row, HEPTA, quantity)
            if ratio is not None:
                pairs.append((ratio, row))
        return sorted(pairs, reverse=True)

    def bars(self):
        peers = [(self.geomean_to_peer(peer, None, TIME), peer) for peer in self.peers]
        nearest = max((pair for pair in peers if pair[0] is not None), default=(None, ""))
        time_row = next(iter(self.worst_rows(TIME)), (None, ""))
        peak_row = next(iter(self.worst_rows(PEAK)), (None, ""))
        handover = self.geomean_to_best(HEPTA, "handover", TIME)
        return [
            Bar(
                "time, geometric mean against the best peer of each row",
                self.geomean_to_best(HEPTA, None, TIME),
                GEOMEAN_TIME_AT_MOST,
            ),
            Bar(
                "time, geometric mean against each single peer",
                nearest[0],
                GEOMEAN_TIME_OF_A_PEER_AT_MOST,
                nearest[1],
            ),
            Bar(
                "time of each row against its best peer", time_row[0], TIME_OF_A_ROW_AT_MOST, time_row[1]
            ),
            Bar(
                "time of the handover rows, geometric mean against the best peer of each row",
                handover,
                HANDOVER_TIME_AT_MOST,
            ),
            Bar(
                "peak RSS, geometric mean against the best peer of each row",
                self.geomean_to_best(HEPTA, None, PEAK),
                GEOMEAN_PEAK_AT_MOST,
            ),
            Bar(
                "peak RSS of each row against its best peer",
                peak_row[0],
                PEAK_OF_A_ROW_AT_MOST,
                peak_row[1],
            ),
        ]
