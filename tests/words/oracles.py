"""Slow answers straight from the definitions; only value types are imported."""

from itertools import combinations, permutations, product

from symbench.words import Template


def matches(template: Template, string) -> bool:
    """Definition 3.1: some injective map of the wildcards to tokens that the template lacks."""
    string = tuple(string)
    for image in permutations(sorted(set(string)), len(template.wildcards)):
        s = dict(zip(template.wildcards, image, strict=True))
        if set(image) & set(template.letters):
            continue
        if tuple(s.get(letter, letter) for letter in template.letters) == string:
            return True
    return False


def common_strings(t: Template, u: Template, alphabet) -> list[tuple[str, ...]]:
    """Definition 4.1: all strings over the alphabet that match both."""
    return [x for x in product(alphabet, repeat=len(t.letters)) if matches(t, x) and matches(u, x)]


def equivalent(t: Template, u: Template) -> bool:
    """Some bijection of the wildcards of one to those of the other turns it into the other."""
    if len(t.wildcards) != len(u.wildcards):
        return False
    return any(
        tuple(dict(zip(t.wildcards, names, strict=True)).get(x, x) for x in t.letters) == u.letters
        for names in permutations(u.wildcards)
    )


def codes(length: int, q: int) -> list[tuple[int, ...]]:
    """All codes of a length: q tokens first, then wildcards, new ones in order of appearance."""
    found = []
    for word in product(range(q + length), repeat=length):
        new = [c for c in dict.fromkeys(word) if c >= q]
        if new == list(range(q, q + len(new))):
            found.append(word)
    return found


def block_sizes(word: tuple[int, ...], q: int) -> list[int]:
    return sorted(word.count(c) for c in set(word) if c >= q)


def orbits(length: int, q: int, size: int, labels: int | None, relabel: bool) -> int:
    """The number of tasks up to symmetry: by marking whole orbits, one task after the other."""
    words = codes(length, q)
    compatible = {
        frozenset((v, w))
        for v, w in combinations(words, 2)
        if not common_strings(_template(v, q), _template(w, q), _alphabet(length, q))
    }
    colourings = [None]
    if labels is not None:
        colourings = [
            c for c in product(range(labels), repeat=size) if set(c) == set(range(labels))
        ]
    seen = set()
    count = 0
    for chosen in combinations(words, size):
        if any(frozenset(pair) not in compatible for pair in combinations(chosen, 2)):
            continue
        for colouring in colourings:
            pairs = list(zip(chosen, colouring or (0,) * size, strict=True))
            if frozenset(pairs) in seen:
                continue
            count += 1
            for positions in permutations(range(length)):
                for tokens in permutations(range(q)):
                    for names in permutations(range(labels or 1)) if relabel else [None]:
                        seen.add(
                            frozenset(
                                (_moved(w, q, positions, tokens), names[c] if names else c)
                                for w, c in pairs
                            )
                        )
    return count


def _moved(word, q, positions, tokens):
    letters = [tokens[c] if c < q else c for c in (word[p] for p in positions)]
    names = {}
    return tuple(c if c < q else names.setdefault(c, q + len(names)) for c in letters)


def _alphabet(length, q):
    return "ABCDEFGHIJ"[: q + length]


def _template(word, q):
    return Template(["ABCDEFGHIJ"[c] if c < q else "αβγδεζηθ"[c - q] for c in word])
