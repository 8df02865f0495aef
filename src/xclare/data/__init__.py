"""Data in and out: one `Dataset` in memory, many layouts on disk."""
