"""The pages that the documentation is made of: the README, examples/ and proofs/.

In a checkout they lie beside the package, in an installed one within it, where the wheel has put
them (pyproject.toml, force-include).
"""

from __future__ import annotations

from pathlib import Path

import symbench
from symbench.errors import NotSupported

PACKAGE = Path(symbench.__file__).parent
_INSTALLED = Path(__file__).with_name("pages")
_PARTS = ("README.md", "examples", "proofs")
# Texts that the site shows on pages of their own, with the language they are in.
LANGUAGES = {".py": "python", ".js": "javascript", ".v": "coq", ".ml": "ocaml"}
_BESIDE = {*LANGUAGES, ".json", ".svg", ".png"}
# Files of the package that pages speak of.
_OF_PACKAGE = ("symbench/certificates/check_certificate.js", "symbench/certificates/schema.json")

# The pages of examples/ by topic, in the order in which somebody new would read them.
_TOPICS = {
    "First steps": ["first_certificate", "templates", "is_my_task_learnable"],
    "Template tasks": ["how_many_tasks", "how_many_samples_for_my_task", "conditioning",
                       "labellings_by_irrep", "atlas", "why_an_mlp_cannot",
                       "why_a_wider_model_copies_worse"],
    "Kernels and spectra": ["my_own_kernel", "spectrum", "eigenvalue_scaling", "stationary_data",
                            "finite_width_attention"],
    "Learning from samples": ["how_many_samples", "analyse", "kernels_against_features",
                              "sparse_heads", "text_symmetry"],
    "The symmetric group": ["tableaux", "permutation_actions"],
    "Claims and tests": ["my_own_claim", "property_tests", "computer_algebra", "sweeps", "report"],
}  # fmt: skip
_TOPIC = {f"examples/{page}.md": topic for topic, names in _TOPICS.items() for page in names}


def folder() -> Path:
    """The folder that has README.md, examples and proofs.

    >>> (folder() / "proofs" / "certificates.md").is_file()
    True
    """
    found = _INSTALLED if _INSTALLED.is_dir() else PACKAGE.parent
    missing = [name for name in _PARTS if not (found / name).exists()]
    if missing:
        raise NotSupported(
            f"{found} has no {', '.join(missing)}, which the documentation is made of: install "
            "symbench with pip from a checkout"
        )
    return found


def _inside(suffixes: set[str]) -> list[str]:
    root = folder()
    found = [path for part in _PARTS[1:] for path in (root / part).rglob("*.*")]
    return sorted(p.relative_to(root).as_posix() for p in found if p.suffix in suffixes)


def pages() -> list[str]:
    """The Markdown pages, by their path in a checkout: the README, examples by topic, proofs.

    >>> pages()[:3]
    ['README.md', 'examples/README.md', 'examples/first_certificate.md']
    """
    known = list(_TOPIC)

    def rank(path: str) -> tuple[str, bool, int, str]:
        place = known.index(path) if path in _TOPIC else len(known)
        return path.rpartition("/")[0], not path.endswith("README.md"), place, path

    return ["README.md", *sorted(_inside({".md"}), key=rank)]


def topic(path: str) -> str:
    """The topic of a page of examples/, or the folder of a proof.

    >>> topic("examples/templates.md"), topic("proofs/boix2024/lemma-E.1.md")
    ('First steps', 'boix2024')
    """
    first, _, rest = path.partition("/")
    if first == "examples" and not path.endswith("README.md"):
        return _TOPIC.get(path, "More")
    return rest.rpartition("/")[0]


def files() -> list[str]:
    """What pages show or point to, by path: pictures, certificates, programs.

    >>> "examples/check_certificate.py" in files()
    True
    """
    return [*_inside(_BESIDE), *_OF_PACKAGE]


def folders() -> list[str]:
    """The folders that pages and files lie in.

    >>> folders()[:3]
    ['examples', 'proofs', 'proofs/boix2024']
    """
    paths = [*pages(), *_inside(_BESIDE)]
    return sorted({folder for path in paths if (folder := path.rpartition("/")[0])})


def read(path: str) -> bytes:
    """A file by its path in a checkout, where those of the package are too."""
    place = PACKAGE.parent if path.startswith("symbench/") else folder()
    return (place / path).read_bytes()
