"""The attention kernel near zero: its series, and the formulas of its derivatives."""
