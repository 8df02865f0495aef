"""The paper's formulas, each once, as functions on numpy arrays or torch tensors. The modules of `model` call them to
train, `inference` to predict. Dropout comes in as a callable, so that a formula does not know which of the two it
serves."""
