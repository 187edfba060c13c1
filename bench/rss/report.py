"""What bench-rss found: on the terminal, in docs/benchmarks.md, and as a picture."""

import tempfile
from pathlib import Path

import tables
from allocators import HEPTA
from ratios import PEERS, Bar, geomean
from scenarios import GEOMEAN_AT_MOST, MAPS_OF, MOST_MAPS, ROW_AT_MOST, SCENARIOS
from sweep import colors, draw as gnuplot, table as columns_of_text

HERE = Path(__file__).resolve().parent
PEAK, AFTER, FIGURE = "peak_kib", "rss_kib", "figure"


class Results:
    """The lines of rss.csv, found by scenario and allocator."""

    def __init__(self, comment, lines):
        self.comment = comment
        self.of = {(line["scenario"], line["allocator"]): line for line in lines}
        present = {name for name, _ in self.of}
        self.scenarios = [scenario for scenario in SCENARIOS if scenario.name in present]
        allocators = list(dict.fromkeys(line["allocator"] for line in lines))
        others = [name for name in allocators if name not in (HEPTA, *PEERS)]
        self.allocators = [name for name in [HEPTA, *others, *PEERS] if name in allocators]
        self.peers = [name for name in PEERS if name in allocators]

    def value(self, scenario, allocator, column):
        text = self.of.get((scenario.name, allocator), {}).get(column, "")
        return float(text) if text else None

    def values(self, scenario, column):
        return [self.value(scenario, name, column) for name in self.allocators]

    def best_peer(self, scenario, column):
        """(value, name), or None."""
        pairs = [(self.value(scenario, name, column), name) for name in self.peers]
        return min((pair for pair in pairs if pair[0] is not None), default=None)

    def ratio(self, scenario, allocator, column):
        value, best = self.value(scenario, allocator, column), self.best_peer(scenario, column)
        return value / best[0] if value is not None and best and best[0] > 0 else None

    def geomean(self, allocator, column):
        ratios = [self.ratio(scenario, allocator, column) for scenario in self.scenarios]
        return geomean(ratio for ratio in ratios if ratio is not None)


def bars(results):
    worst = [(results.ratio(s, HEPTA, PEAK), s.name) for s in results.scenarios]
    worst = max((pair for pair in worst if pair[0] is not None), default=(None, ""))
    yield Bar("peak RSS, geometric mean against the best peer of each row", results.geomean(HEPTA, PEAK), GEOMEAN_AT_MOST)
    yield Bar("peak RSS of each row against its best peer", worst[0], ROW_AT_MOST, worst[1])
    for scenario in results.scenarios:
        if scenario.at_most is not None:
            value = results.value(scenario, HEPTA, FIGURE)
            yield Bar(scenario.figure_is, value, scenario.at_most, scenario.name)
    maps = [results.value(s, HEPTA, "maps") for s in results.scenarios if s.name in MAPS_OF]
    yield Bar("mappings of the process", max((m for m in maps if m is not None), default=None), MOST_MAPS, " ".join(MAPS_OF))


def mib(value):
    return "" if value is None else f"{value / 1024:.1f}"


def number(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def marked(texts, values, best=None, at_most=None):
    """Bold for the least; for hepta, the first, a triangle where it loses to the best peer, two beyond a limit."""
    least = min((value for value in values if value is not None), default=0)
    limit = None if best is None or at_most is None else best * at_most
    for place, (text, value) in enumerate(zip(texts, values)):
        text = f"**{text}**" if text and value is not None and value <= least else text
        if place == 0 and value is not None and best is not None and value > best:
            text = f"▲▲ {text}" if limit is not None and value > limit else f"▲ {text}"
        yield text


def peak_lines(results, mark):
    for scenario in results.scenarios:
        best = results.best_peer(scenario, PEAK)
        ratios = [results.ratio(scenario, name, PEAK) for name in results.allocators]
        cells = list(map(number, ratios))
        if mark:
            cells = list(marked(cells, ratios, 1.0 if best else None, ROW_AT_MOST))
        yield [f"`{scenario.name}`" if mark else scenario.name, mib(best[0]) if best else "", *cells]
    means = [results.geomean(name, PEAK) for name in results.allocators]
    yield ["geometric mean", "", *(marked(map(number, means), means) if mark else map(number, means))]


def after_lines(results, mark):
    """MiB resident at the point that says what stays, and live there."""
    for scenario in results.scenarios:
        values = results.values(scenario, AFTER)
        live = [value for value in results.values(scenario, "live_kib") if value is not None]
        best = results.best_peer(scenario, AFTER)
        cells = map(mib, values)
        cells = marked(cells, values, best[0] if best else None) if mark else cells
        yield [f"`{scenario.name}`" if mark else scenario.name, mib(min(live)), *cells]


def figure_lines(results, mark):
    for scenario in results.scenarios:
        values = results.values(scenario, FIGURE)
        if all(value is None for value in values):
            continue
        best = results.best_peer(scenario, FIGURE)
        cells = map(number, values)
        cells = marked(cells, values, best[0] if best else None) if mark else cells
        name = f"`{scenario.name}`: {scenario.figure_is}" if mark else f"{scenario.name}: {scenario.figure_is}"
        yield [name, number(scenario.at_most), *cells]


COSTS = [
    ("calls", "system calls for memory"),
    ("madvise_per_second", "of them madvise, a second"),
    ("seconds", "seconds"),
    ("maps", "mappings at most"),
]


def cost_lines(results, mark):
    for scenario in results.scenarios:
        for column, what in COSTS:
            values = results.values(scenario, column)
            is_asked = column != "maps" or scenario.name in MAPS_OF
            if is_asked and any(value is not None for value in values):
                name = f"`{scenario.name}`: {what}" if mark else f"{scenario.name}: {what}"
                yield [name, "", *map(number, values)]


TABLES = [
    ("Peak RSS, as a multiple of the best peer's", "best peer, MiB", peak_lines),
    ("RSS in MiB at the end: idle, asleep or quiet for three seconds, full, moved, in the child, replaced", "live", after_lines),
    ("What each scenario is about", "bar", figure_lines),
    ("Costs", "", cost_lines),
]


def bar_lines(results, passes, fails):
    for bar in bars(results):
        verdict = "not measured" if bar.value is None else passes if bar.holds else fails
        yield bar, verdict


def show(results):
    """On the terminal: the tables, then the bars."""
    print(results.comment + "\n")
    for title, second, lines in TABLES:
        print(title)
        columns_of_text(["", second, *results.allocators], [list(line) for line in lines(results, False)])
        print()
    for bar, verdict in bar_lines(results, "holds", "FAILS"):
        print(f"{verdict:12} {number(bar.value):>8} <= {bar.at_most:<8g} {bar.text} ({bar.detail or 'all'})")


def page(results, picture):
    """The lines of docs/benchmarks.md between its markers."""
    lines = ["Command, date, machine and versions:", "", f"    {results.comment}".replace("; ", "\n    "), ""]
    cells = []
    for bar, verdict in bar_lines(results, "holds", "**fails**"):
        detail = f" (`{bar.detail}`)" if bar.detail else ""
        cells.append([bar.text + detail, f"{bar.at_most:g}", number(bar.value), verdict])
    lines += tables.table(["bar", "at most", "measured", ""], cells)
    lines += [f"![RSS and live bytes over time]({picture})\n"]
    for title, second, rows in TABLES:
        lines += [f"{title}:", ""]
        lines += tables.table(["", second, *results.allocators], [list(row) for row in rows(results, True)])
    return "\n".join(lines)


def draw(results, series, path):
    with tempfile.TemporaryDirectory() as folder:
        for sample in series:
            with open(f"{folder}/{sample['scenario']}.{sample['allocator']}", "a", encoding="utf-8") as file:
                file.write(f"{sample['milliseconds']} {sample['rss_kib']} {sample['live_kib']}\n")
        gnuplot(
            HERE / "rss.gnuplot",
            out=str(path),
            folder=folder,
            names=results.allocators,
            colors=colors(results.allocators),
            scenarios=[scenario.name for scenario in results.scenarios],
            titles="|".join(scenario.title for scenario in results.scenarios),
        )
