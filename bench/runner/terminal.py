"""What the bench prints when it is done: a line a row, time and memory side by side."""

import math

from allocators import HEPTA
from ratios import PEAK, TIME
from tables import per_operation

SHORT = {"jemalloc": "je", "mimalloc": "mi", "tcmalloc": "tc", "tbbmalloc": "tbb"}
WIDTH = 6


def _ratio(value, failed=False):
    if failed:
        return "failed"
    if value is None:
        return "-"
    if value == math.inf:
        return "failed"
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _cells(values):
    return "".join(f"{value:>{WIDTH}} " for value in values)


def _heading(comparison, name_width):
    names = [SHORT.get(name, name)[:WIDTH] for name in comparison.allocators]
    width = 9 + len(_cells(names))
    over = f"{'':{name_width}} {'time, ratio to the best peer':<{width}}  peak RSS, ratio to the best peer"
    return [over, f"{'':{name_width}} {'best':>8} {_cells(names)}  {'best':>8} {_cells(names)}"]


def _row_line(comparison, row, name_width):
    halves = []
    for quantity, unit in ((TIME, lambda s: f"{s:.3f}s"), (PEAK, lambda k: f"{k / 1024:.1f}M")):
        best = comparison.best_peer(row, quantity)
        cells = [
            _ratio(comparison.ratio(row, name, quantity), comparison.failed(row, name))
            for name in comparison.allocators
        ]
        halves.append(f"{unit(best[0]) if best else '-':>8} {_cells(cells)}")
    disturbed = any(
        result.disturbed for (name, _), result in comparison.of.items() if name == row
    )
    return f"{row:{name_width}} {halves[0]}  {halves[1]}{'~' if disturbed else ''}"


def _geomean_line(comparison, group, name_width):
    halves = []
    for quantity in (TIME, PEAK):
        means = [comparison.geomean_to_best(n, group, quantity) for n in comparison.allocators]
        halves.append(f"{'':8} {_cells(map(_ratio, means))}")
    return f"{group or 'all rows':{name_width}} {halves[0]}  {halves[1]}"


def _single_peers(comparison):
    for quantity, what in ((TIME, "time"), (PEAK, "peak RSS")):
        pairs = [(n, comparison.geomean_to_peer(n, None, quantity)) for n in comparison.allocators]
        text = ", ".join(f"{_ratio(mean)} of {name}" for name, mean in pairs if name != HEPTA)
        yield f"hepta's {what}, geometric mean: {text}"


def _bar_line(bar):
    verdict = "-    " if bar.value is None else "holds" if bar.holds else "FAILS"
    detail = f" ({bar.detail})" if bar.detail else ""
    return f"{verdict} {_ratio(bar.value):>6} <= {bar.at_most:.2f}  {bar.text}{detail}"


def text(comparison):
    names = comparison.rows + comparison.groups + [r.row for r in comparison.limits] + ["all rows"]
    width = max(map(len, names))
    lines = _heading(comparison, width)
    lines += [_row_line(comparison, row, width) for row in comparison.rows]
    for result in comparison.limits:
        seconds = "failed" if result.failed else f"{result.seconds:.3f}s"
        each = f", {per_operation(result)} an operation" if result.operations else ""
        lines.append(f"{result.row:{width}} {seconds:>8} (a physical limit{each})")
    if len(comparison.rows) > 1:
        lines += ["", f"{'geometric means':{width}}"]
        lines += [_geomean_line(comparison, group, width) for group in comparison.groups]
        lines.append(_geomean_line(comparison, None, width))
    if any(result.disturbed for result in comparison.of.values()):
        lines.append("~ some runs of the row were disturbed by other processes")
    if HEPTA in comparison.allocators and comparison.peers:
        lines += ["", *_single_peers(comparison), ""]
        lines += [_bar_line(bar) for bar in comparison.bars()]
    return "\n".join(lines)
