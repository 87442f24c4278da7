"""Changes drawn from the source: a constant off by one, a comparison flipped, a term dropped."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator

from tests.mutations.changes import ROOMS, ROOT, Change

_FLIPPED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
}  # fmt: skip
# Functions that print, draw or explain: what they say is looked at by tests.
_SHOWING = ("repr", "str", "text", "explain", "latex", "svg", "draw", "picture", "plot", "html")


def drawn(count: int, seed: int) -> list[Change]:
    """So many changes, drawn with the seed: first a room, then a file, then a place in it."""
    generator = random.Random(seed)
    rooms = {room: found for room in ROOMS if (found := _sites(room))}
    chosen: dict[str, Change] = {}
    for _ in range(20 * count):
        if len(chosen) == count:
            break
        files = rooms[generator.choice(sorted(rooms))]
        change = generator.choice(files[generator.choice(sorted(files))])
        chosen[change.key] = change
    return list(chosen.values())


def _sites(room: str) -> dict[str, list[Change]]:
    folder, module = ROOT / "symbench" / room, ROOT / "symbench" / f"{room}.py"
    paths = sorted(folder.rglob("*.py")) if folder.is_dir() else [module]
    found = {}
    for path in paths:
        name = path.relative_to(ROOT / "symbench").as_posix()
        if path.exists() and (sites := list(sites_of(name, path.read_text(encoding="utf-8")))):
            found[name] = sites
    return found


def sites_of(file: str, text: str) -> Iterator[Change]:
    """All changes of a file that could be drawn, in functions that compute."""
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    table = text.splitlines()

    def at(line: int, column: int) -> int:
        # ast counts columns in bytes.
        return lines[line - 1] + len(table[line - 1].encode()[:column].decode())

    def span(node: ast.expr) -> tuple[int, int]:
        return at(node.lineno, node.col_offset), at(node.end_lineno or 0, node.end_col_offset or 0)

    def change(start: int, stop: int, new: str, why: str) -> Change:
        return Change(file, text[start:stop], new, why, start)

    for node in _computing(ast.parse(text)):
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value < 1000:
            start, stop = span(node)
            if text[start:stop].isdigit():
                yield change(start, stop, str(node.value + 1), "a constant is off by one")
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _FLIPPED:
            (_, start), (stop, _) = span(node.left), span(node.comparators[0])
            new = f" {_FLIPPED[type(node.ops[0])]} "
            if text[start:stop].strip() in ("<", "<=", ">", ">=", "==", "!="):
                yield change(start, stop, new, "a comparison is flipped")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            (start, middle), (_, stop) = span(node.left), span(node.right)
            yield change(start, stop, text[start:middle], "the last term of a sum is dropped")


def _computing(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes inside of functions that compute: no messages, annotations or assertions."""

    def walk(node: ast.AST, inside: bool) -> Iterator[ast.AST]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if any(word in node.name for word in _SHOWING):
                return
            for part in node.body:
                yield from walk(part, True)
            return
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.ImportFrom):
            return
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                yield from walk(node.value, inside)
            return
        if inside:
            yield node
        for part in ast.iter_child_nodes(node):
            yield from walk(part, inside)

    yield from walk(tree, False)
