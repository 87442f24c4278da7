"""The pictures of pages: made by the code of a page, stored beside it, compared with a tolerance.

`python -m tests.pictures` runs every page that makes pictures and stores those that have changed,
then writes the gallery; `python -m tests.pictures examples/spectrum.md` does so for one page.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from xml.etree import ElementTree

from tests.documents import ROOT, markdown, pages

# Units of a picture, which is some hundreds of them wide. What is less is not seen: another BLAS
# or another processor may draw it so.
TOLERANCE = 0.5
MOST_BYTES = 70_000
_SHORT = 60  # characters
GALLERY = ROOT / "examples" / "README.md"

_SHOWN = re.compile(r"!\[[^\]]+\]\(([^)\s]+\.svg)\)")
_DRAWING = re.compile(r"\.(?:plot\w*|heat_map|save)\(.*\.(?:svg|png|pdf)\"|\.(?:plot|heat_map)\(")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# Names by which one element refers to another: made by matplotlib from what they name.
_NAMES = {"id", "clip-path", "href"}
# A colour has digits that are no lengths.
_WORDS = re.compile(r"#[0-9a-fA-F]{3,8}\b")


def shown(page: Path) -> list[str]:
    """The pictures that a page shows, by file name, in its order."""
    return _SHOWN.findall(page.read_text(encoding="utf-8"))


def drawing() -> list[Path]:
    """The pages that show pictures of their own: README and the gallery show those of others."""
    return [page for page in pages() if page not in (ROOT / "README.md", GALLERY) and shown(page)]


def made(page: Path, folder: Path) -> dict[str, str]:
    """The pictures that the code of a page makes in a folder: this runs the page."""
    document = markdown().parse(page)
    document.namespace["folder"] = folder
    for example in document.examples():
        example.evaluate()
    return written(folder)


def written(folder: Path) -> dict[str, str]:
    """The pictures in a folder, by file name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.svg"))}


def without_picture(page: Path) -> list[str]:
    """The lines of a page that draw, but no SVG."""
    found = []
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith((">>> ", "... ")) and _DRAWING.search(line) and ".svg" not in line:
            found.append(line)
    return found


def difference(stored: str, anew: str) -> str | None:
    """The first difference of two pictures that can be seen, in words, or None.

    Elements and texts are equal, numbers are equal up to TOLERANCE; what metadata says and how
    elements are named does not matter.
    """
    for old, new in zip_longest(_parts(stored), _parts(anew), fillvalue=("the end", "")):
        if old[0] != new[0]:
            return f"{old[0]} has become {new[0]}"
        if (reason := _differ(old[1], new[1])) is not None:
            return f"{old[0]}: {reason}"
    return None


def _parts(svg: str) -> Iterator[tuple[str, str]]:
    """Every element, attribute and text of a picture, in its order."""
    yield from _parts_of(ElementTree.fromstring(svg))


def _parts_of(element: ElementTree.Element) -> Iterator[tuple[str, str]]:
    tag = element.tag.rpartition("}")[2]
    if tag == "metadata":
        return
    yield f"<{tag}>", (element.text or "").strip()
    for name, value in sorted(element.attrib.items()):
        if name.rpartition("}")[2] not in _NAMES:
            yield f"{name} of <{tag}>", value
    for child in element:
        yield from _parts_of(child)


def _differ(old: str, new: str) -> str | None:
    if old == new:
        return None
    reason = f"{_cut(old)} has become {_cut(new)}"
    if _WORDS.findall(old) != _WORDS.findall(new):
        return reason
    old, new = _WORDS.sub("", old), _WORDS.sub("", new)
    if _NUMBER.sub("0", old) != _NUMBER.sub("0", new):
        return reason
    pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
    return reason if any(abs(float(x) - float(y)) > TOLERANCE for x, y in pairs) else None


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= 60 else f"{flat[:60]} ...")


# --- the gallery ----------------------------------------------------------------------------------
def gallery() -> str:
    """The text of examples/README.md: the title, the first sentence and a picture of every page."""
    text = [
        "# Gallery",
        "",
        "Every page runs: what it prints and draws was computed by the code on it.",
    ]
    for page in sorted(GALLERY.parent.glob("*.md")):
        if page == GALLERY:
            continue
        title, sentence = head(page)
        text += ["", f"## [{title}]({page.name})", "", sentence]
        for name in shown(page)[:1]:
            text += ["", f"[![{title}]({name})]({page.name})"]
    return "\n".join(text) + "\n"


def head(page: Path) -> tuple[str, str]:
    """The title and the first sentence of a page, or two sentences where the first is short."""
    first, _, rest = page.read_text(encoding="utf-8").partition("\n")
    paragraph = " ".join(rest.strip().split("\n\n")[0].split())
    found = re.match(rf".{{{_SHORT},}}?[.?:](?=\s+[A-Z`$\[]|$)", paragraph)
    if not first.startswith("# ") or found is None:
        raise ValueError(f"{page.name} does not begin with a title and a sentence")
    return first.removeprefix("# ").strip(), re.sub(":$", ".", found[0])


def main(chosen: list[str]) -> None:
    """Run pages, store their pictures where they have changed, and write the gallery."""
    for page in [Path(name).resolve() for name in chosen] or drawing():
        home = Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                found = made(page, Path(folder))
            finally:
                os.chdir(home)
        for name, svg in found.items():
            beside = page.with_name(name)
            if not beside.exists() or difference(beside.read_text(encoding="utf-8"), svg):
                beside.write_text(svg, encoding="utf-8")
                print(f"{beside.relative_to(ROOT)}: stored, {len(svg.encode()) // 1000} kB")
    if not GALLERY.exists() or GALLERY.read_text(encoding="utf-8") != gallery():
        GALLERY.write_text(gallery(), encoding="utf-8")
        print(f"{GALLERY.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main(sys.argv[1:])
