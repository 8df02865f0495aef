"""Meta-labels: the labels in balanced clusters, made from the documents they have and from the label graph."""
