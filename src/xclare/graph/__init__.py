"""The label correlation graph: which labels belong together, inferred from the training documents they share."""
