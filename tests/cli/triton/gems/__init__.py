"""A library whose autotuners ask it for their lists: only an import tells these."""
