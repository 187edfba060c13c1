"""The tables of docs/benchmarks.md."""

import math

from allocators import HEPTA
from ratios import PEAK, ROW_AT_MOST, TIME
from rows import GROUPS

WORST_ROWS = 8
QUANTITIES = ((TIME, "Time"), (PEAK, "Peak RSS"))
ALL = "all rows"


def table(head, lines):
    """The first column to the left, the others to the right."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return ["| " + " | ".join(cells) + " |" for cells in [head, rule, *lines]] + [""]


def number(value):
    if value is None:
        return ""
    if value == math.inf:
        return "failed"
    return f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def amount(value, quantity):
    if quantity == TIME:
        return f"{value:.3f} s" if value < 10 else f"{value:.1f} s"
    mib = value / 1024
    return f"{mib:.1f} MiB" if mib < 100 else f"{mib:,.0f} MiB"


def marked(text, value, least, limit=None):
    """Bold for the least of its row; for hepta one triangle where it loses, two beyond its limit."""
    if not text or value is None:
        return text
    if value <= least:
        text = f"**{text}**"
    if limit is not None and value > limit:
        return f"▲▲ {text}"
    if limit is not None and value > 1:
        return f"▲ {text}"
    return text


def ratio_cells(comparison, row, quantity):
    ratios = [comparison.ratio(row, name, quantity) for name in comparison.allocators]
    least = min((ratio for ratio in ratios if ratio is not None), default=0)
    for name, ratio in zip(comparison.allocators, ratios):
        if comparison.failed(row, name):
            yield "failed"
        else:
            limit = ROW_AT_MOST[quantity] if name == HEPTA else None
            yield marked(number(ratio), ratio, least, limit)


def disturbed(comparison, row):
    return any(result.disturbed for (name, _), result in comparison.of.items() if name == row)


def group_table(comparison, group, quantity, what):
    head = [f"{what}: row", "best peer", *comparison.allocators]
    lines = []
    for row in comparison.rows_of(group):
        best = comparison.best_peer(row, quantity)
        mark = " ~" if quantity == TIME and disturbed(comparison, row) else ""
        cells = [f"`{row}`{mark}", amount(best[0], quantity) if best else ""]
        lines.append(cells + list(ratio_cells(comparison, row, quantity)))
    means = [comparison.geomean_to_best(n, group, quantity) for n in comparison.allocators]
    least = min((mean for mean in means if mean is not None), default=0)
    cells = [marked(number(mean), mean, least) for mean in means]
    lines.append(["geometric mean", "", *cells])
    return table(head, lines)


def groups(comparison):
    lines = []
    for group in comparison.groups:
        lines += [f"### {GROUPS[group]}", ""]
        for quantity, what in QUANTITIES:
            lines += group_table(comparison, group, quantity, what)
    return lines


def bars(comparison):
    lines = []
    for bar in comparison.bars():
        verdict = "not measured" if bar.value is None else "holds" if bar.holds else "**fails**"
        detail = f" (`{bar.detail}`)" if bar.detail else ""
        lines.append([bar.text + detail, f"{bar.at_most:.2f}", number(bar.value), verdict])
    return table(["bar", "at most", "measured", ""], lines)


def geomeans(comparison, quantity, what):
    """An allocator a line, a group a column; each row against its best peer."""
    parts = [*comparison.groups, None]
    columns = {
        part: {n: comparison.geomean_to_best(n, part, quantity) for n in comparison.allocators}
        for part in parts
    }
    lines = []
    for name in comparison.allocators:
        cells = []
        for part in parts:
            least = min((v for v in columns[part].values() if v is not None), default=0)
            mean = columns[part][name]
            cells.append(marked(number(mean), mean, least, math.inf if name == HEPTA else None))
        lines.append([name, *cells])
    return table([what, *(part or ALL for part in parts)], lines)


def single_peers(comparison, quantity, what):
    """hepta against one allocator at a time."""
    parts = [*comparison.groups, None]
    lines = []
    for name in comparison.allocators:
        if name != HEPTA:
            means = [comparison.geomean_to_peer(name, part, quantity) for part in parts]
            cells = [marked(number(m), m, 0, math.inf) for m in means]
            lines.append([f"of {name}", *cells])
    return table([f"{what} of hepta", *(part or ALL for part in parts)], lines)


def worst_rows(comparison):
    pairs = [comparison.worst_rows(quantity)[:WORST_ROWS] for quantity, _ in QUANTITIES]
    lines = []
    for place in range(max(map(len, pairs))):
        cells = []
        for (quantity, _), worst in zip(QUANTITIES, pairs):
            ratio, row = worst[place] if place < len(worst) else (None, "")
            best = comparison.best_peer(row, quantity)
            cells += [f"`{row}`" if row else "", number(ratio), best[1] if best else ""]
        lines.append(cells)
    return table(["time: row", "ratio", "best peer", "peak RSS: row", "ratio", "best peer"], lines)


def per_operation(result):
    return f"{result.seconds / result.operations * 1e9:,.1f} ns" if result.operations else ""


def limits(comparison):
    lines = []
    for result in comparison.limits:
        time = "failed" if result.failed else amount(result.seconds, TIME)
        lines.append([f"`{result.row}`", time, f"{result.operations:,}", per_operation(result)])
    return table(["row", "time", "operations", "each"], lines)


def text(comparison, comment, pictures):
    """All of it, as the lines of docs/benchmarks.md between its markers."""
    lines = ["Command, date, machine and versions:", "", f"    {comment}".replace("; ", "\n    "), ""]
    lines += ["## The bars", "", *bars(comparison)]
    lines += [f"![{title}]({path})\n" for title, path in pictures]
    lines += ["## Geometric means", "", "Each row against its best peer:", ""]
    for quantity, what in QUANTITIES:
        lines += geomeans(comparison, quantity, what)
    lines += ["hepta against one peer at a time:", ""]
    for quantity, what in QUANTITIES:
        lines += single_peers(comparison, quantity, what)
    lines += ["## Where hepta does worst", "", *worst_rows(comparison)]
    if comparison.limits:
        lines += ["## Physical limits", "", *limits(comparison)]
    lines += ["## All rows", "", *groups(comparison)]
    return "\n".join(lines)
