"""One module per source; importing this registers all of their claims."""

from symbench.papers import beyond, boix2024, lavie2024, textbook

__all__ = ["beyond", "boix2024", "lavie2024", "textbook"]
