"""What the README and a page show of the last full run: the table of speeds, and how cost grows.

`python -m tests.benchmarks --write` writes both from `last_run.json` and `growth.json` beside this
file, where a full run was kept; a test compares them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.benchmarks.measuring import Row, as_markdown, duration, stored

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ROWS, GROWTH = HERE / "last_run.json", HERE / "growth.json"
README, PAGE = ROOT / "README.md", ROOT / "examples" / "how_fast.md"
_START = "| operation | size | symbench | fastest peer | ratio |\n"


def shortest(rows: list[Row]) -> list[Row]:
    """Of each operation that has a peer the largest size at which the peer ran."""
    found: dict[str, Row] = {}
    for row in rows:
        if row.best is not None:
            found[row.operation] = row
    return list(found.values())


def readme_table(rows: list[Row]) -> str:
    """The table of the README: one number in each cell."""
    lines = [_START, "|---|---|---|---|---|\n"]
    for row in shortest(rows):
        assert row.best is not None
        name, seconds = row.best
        ratio = seconds / row.seconds
        lines.append(
            f"| {row.operation} | {row.size} | {duration(row.seconds)} | {name} "
            f"{duration(seconds)} | {f'{ratio:,.0f}' if ratio >= 10 else f'{ratio:.2g}'} |\n"
        )
    return "".join(lines)


def readme(text: str, rows: list[Row]) -> str:
    """The README with the table of these rows."""
    before, start, rest = text.partition(_START)
    if not start:
        raise ValueError("the README has no table of speeds")
    lines = rest.splitlines(keepends=True)
    after = next((i for i, line in enumerate(lines) if not line.startswith("|")), len(lines))
    return before + readme_table(rows) + "".join(lines[after:])


def page(run: dict[str, Any], growth: dict[str, Any], rows: list[Row]) -> str:
    """The text of the page."""
    measured = "\n".join(
        f'...     "{one["operation"]}": '
        + repr([(size, float(f"{seconds:.3g}")) for size, seconds, _ in one["points"]])
        + ","
        for one in growth["operations"]
    )
    units = "; ".join(f"{one['operation']}: {one['size']}" for one in growth["operations"])
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    return _PAGE.format(
        machine=run["machine"],
        versions=versions,
        table=as_markdown(rows),
        measured=measured,
        units=units,
        laws=_laws(growth),
    )


def _laws(growth: dict[str, Any]) -> str:
    """The table that `python -m tests.benchmarks --growth` prints, as Markdown."""
    from tests.benchmarks.growth import HEADS, line, operations

    known = {operation.name: operation for operation in operations()}
    lines = [HEADS, ("---",) * len(HEADS)]
    for one in growth["operations"]:
        points = [tuple(point) for point in one["points"]]
        lines.append(line(known[one["operation"]], points))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def expected() -> dict[Path, str]:
    """The README and the page as they should be."""
    rows = stored(ROWS)
    run, growth = (json.loads(path.read_text(encoding="utf-8")) for path in (ROWS, GROWTH))
    return {
        README: readme(README.read_text(encoding="utf-8"), rows),
        PAGE: page(run, growth, rows),
    }


def write() -> None:
    """Write them, and the picture of the page."""
    from tests.pictures import main

    for path, text in expected().items():
        path.write_text(text, encoding="utf-8")
    main([str(PAGE)])


_PAGE = """\
# How fast, and how cost grows

Every number here is from one full run of `python -m tests.benchmarks`, symbench and its peers in
turns. Times are CPU seconds, the least of a few rounds, on one machine ({machine}) that did little
else.

Versions: {versions}.

## Beside the peers

The ratio is the time of the fastest peer over ours. Memory is what one more run of ours needed
above what the process held before; a few megabytes are noise.

{table}

## How cost grows

Each operation was run at four sizes n. It grows as a power of n, or exponentially where
exponentially many things are listed; the law is fitted to the last three sizes. Where it takes a
minute, or a gigabyte, is extrapolated from the law, and was not measured. Operations that can run
long estimate first, and refuse with the estimate.

{laws}

The same times as a picture. What n counts: {units}.

```python
>>> measured = {{
{measured}
... }}
>>> from symbench.draw.figures import plotted
>>> with plotted("how_fast.svg", 9, 6) as figure:
...     axes = figure.subplots()
...     for k, (name, points) in enumerate(measured.items()):
...         style = ("o-", "s--", "^:")[k // 6]
...         lines = axes.loglog(*zip(*points), style, label=name, markersize=4, color=f"C{{k % 6}}")
...     labels = axes.set(xlabel="size n", ylabel="CPU seconds")
...     legend = axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
>>> all(seconds > 0 for points in measured.values() for _, seconds in points)
True
```

![CPU seconds of each operation over its size, on logarithmic axes](how_fast.svg)

## Measure it yourself

`python -m tests.benchmarks` prints the first table (`--rows FILE` keeps it as JSON, names such as
`young` choose a part), `--growth FILE` the second; `tests/benchmarks/install_peers.sh` installs
what peers it can, and a peer that is not there is named in the table.
"""
