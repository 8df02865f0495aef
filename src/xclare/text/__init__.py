"""From texts to features: WordPieces learnt from the data, TF-IDF, rows of length 1."""
