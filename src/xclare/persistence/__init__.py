"""What is written to disk, and how nothing is ever half-written."""
