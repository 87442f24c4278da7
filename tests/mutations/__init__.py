"""Errors planted in a copy of symbench, one at a time, to see which claims notice them.

`python -m tests.mutations` plants each change of changes.toml in a copy of the repository, runs the
registered claims there, and prints who noticed. `--random N --seed S` draws further changes from
the source. A claim notices when its verdict is not as expected.
"""
