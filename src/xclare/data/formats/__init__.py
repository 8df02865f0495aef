"""File formats, whatever stands in them: JSON lines, tables, sparse text, numpy's archives. Fast where all is well, and
exact about the place where it is not."""
