"""Run the command as `python -m symbench.cli`."""

from symbench.cli import main

main()
