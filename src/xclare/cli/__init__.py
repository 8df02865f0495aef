"""The command line: one file a verb. Verbs parse, call and print; the logic lives elsewhere."""
