"""docs/benchmarks.md: what stands between the markers is written by the bench, the rest stays."""

import os

import plots
import tables


class DocumentError(Exception):
    pass


def between_markers(page, text, name="bench"):
    first, last = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    begin, end = page.find(first), page.find(last)
    if begin < 0 or end < begin:
        raise DocumentError(f"no {first} followed by {last}")
    return page[: begin + len(first)] + "\n" + text + "\n" + page[end:]


def write(comparison, comment, page_path, source_path, pictures_folder):
    """The page is the one at source_path, with new tables, and pictures from that folder."""
    pictures_folder.mkdir(parents=True, exist_ok=True)
    plots.draw(comparison, pictures_folder)
    relative = os.path.relpath(pictures_folder, page_path.parent)
    pictures = [
        ("Geometric means of time and peak memory", f"{relative}/{plots.MEANS_PICTURE}"),
        ("Time and peak memory of every row", f"{relative}/{plots.ROWS_PICTURE}"),
    ]
    text = tables.text(comparison, comment, pictures)
    page_path.write_text(between_markers(source_path.read_text(encoding="utf-8"), text), encoding="utf-8")
