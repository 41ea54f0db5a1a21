"""The same straight-line fit as train.sh, as a Python package."""
