"""The pictures: every row as a line of dots, and the geometric means as bars."""

import math
import subprocess
import tempfile
from pathlib import Path

from allocators import HEPTA
from ratios import PEAK, TIME
from rows import GROUPS

HERE = Path(__file__).resolve().parent
# The colour of an allocator, the same in every picture of the documentation.
COLORS = {
    HEPTA: "#0969da",
    "glibc": "#e36209",
    "jemalloc": "#8250df",
    "mimalloc": "#1a7f37",
    "tcmalloc": "#bf3989",
    "tbbmalloc": "#9a6700",
}
OTHER_COLORS = ["#57606a", "#0e8a8a", "#a40e26", "#424a53"]
QUANTITIES = (TIME, PEAK)
ROWS_PICTURE, MEANS_PICTURE = "bench-rows.svg", "bench-means.svg"
LEAST_RATIO, MOST_RATIO = 0.25, 12.0  # what lies beyond is drawn at the edge
MOST_MEAN = 3.0


def colors(allocators):
    spare = iter(OTHER_COLORS)
    return {name: COLORS.get(name) or next(spare, "#57606a") for name in allocators}


def places(comparison):
    """How far down each row is, and each group's title, in lines; then the number of lines."""
    rows, titles, line = {}, {}, 0.0
    for group in comparison.groups:
        line += 0.9
        titles[group] = line
        for row in comparison.rows_of(group):
            line += 1
            rows[row] = line
        line += 0.6
    return rows, titles, line + 0.4


def edges(comparison):
    """The range of the ratios' axis, for both halves: what is there, within bounds."""
    ratios = [
        comparison.ratio(row, name, quantity)
        for row in comparison.rows
        for name in comparison.allocators
        for quantity in QUANTITIES
    ]
    ratios = [ratio for ratio in ratios if ratio is not None] or [1.0]
    return max(LEAST_RATIO, min(*ratios, 0.8) / 1.15), min(MOST_RATIO, max(*ratios, 2.0) * 1.15)


def write_dots(folder, comparison, rows, least, most):
    """A file for each allocator: line, ratio drawn, whether it lies beyond the edge; time, then peak."""
    for name in comparison.allocators:
        with open(folder / f"{name}.txt", "w", encoding="utf-8") as file:
            for quantity in QUANTITIES:
                for row, line in rows.items():
                    ratio = comparison.ratio(row, name, quantity)
                    if ratio is None:
                        continue
                    drawn = min(max(ratio, least), most)
                    file.write(f"{line} {drawn:.5f} {int(drawn != ratio)}\n")
                file.write("\n\n")


def write_names(folder, comparison, rows, titles):
    failed = [row for row in rows if comparison.failed(row, HEPTA)]
    with open(folder / "names.gnuplot", "w", encoding="utf-8") as file:
        for group, line in titles.items():
            title = GROUPS[group].split(":")[0]
            file.write(f'set label "{{/:Bold {title}}}" at graph -0.012, first {line} right textcolor rgb ink\n')
        for row, line in rows.items():
            text = row + (" (hepta failed)" if row in failed else "")
            file.write(f'set label "{text}" at graph -0.012, first {line} right textcolor rgb quiet noenhanced\n')


def gnuplot(script, **variables):
    assignments = [
        f"{name}={value}" if isinstance(value, (int, float)) else f"{name}='{value}'"
        for name, value in variables.items()
    ]
    subprocess.run(["gnuplot", "-e", "; ".join(assignments), str(HERE / script)], check=True)


def draw_rows(comparison, path):
    rows, titles, lines = places(comparison)
    least, most = edges(comparison)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_dots(folder, comparison, rows, least, most)
        write_names(folder, comparison, rows, titles)
        color_of = colors(comparison.allocators)
        gnuplot(
            "rows.gnuplot",
            out=str(path),
            folder=name,
            names=" ".join(comparison.allocators),
            colors=" ".join(color_of[allocator] for allocator in comparison.allocators),
            lines=lines,
            least=round(least, 4),
            most=round(most, 4),
        )


def draw_means(comparison, path):
    parts = [*comparison.groups, None]
    with tempfile.TemporaryDirectory() as name:
        for quantity in QUANTITIES:
            with open(f"{name}/{quantity}.txt", "w", encoding="utf-8") as file:
                for part in parts:
                    means = [
                        comparison.geomean_to_best(allocator, part, quantity) or math.nan
                        for allocator in comparison.allocators
                    ]
                    title = "all" if part is None else part
                    file.write(title + "".join(f" {mean:.4f}" for mean in means) + "\n")
        color_of = colors(comparison.allocators)
        gnuplot(
            "means.gnuplot",
            out=str(path),
            folder=name,
            names=" ".join(comparison.allocators),
            colors=" ".join(color_of[allocator] for allocator in comparison.allocators),
            top=MOST_MEAN,
        )


def draw(comparison, folder):
    draw_rows(comparison, folder / ROWS_PICTURE)
    draw_means(comparison, folder / MEANS_PICTURE)
