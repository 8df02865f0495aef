from __future__ import annotations

import numpy as np
import pytest

SYLLABLES = ["ba", "ka", "do", "ri", "mu", "se", "la", "ten", "vor", "xi", "qua", "el", "ost", "um", "zip"]
SCRIPTS = [
    "ελληνικά κείμενα",
    "русский текст для ёлки",
    "日本語のテキスト",
    "한국어 텍스트",
    "हिन्दी में लेख",
    "ข้อความภาษาไทย",
    "نص عربي",
]


def corpus_of(count: int, seed: int = 5) -> list[str]:
    """Short texts of made-up words, so regular that equally frequent pairs of pieces abound, some in other scripts."""
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(SYLLABLES, rng.integers(1, 4))) for _ in range(max(10, count // 4))]
    texts = [" ".join(rng.choice(words, rng.integers(1, 7))) for _ in range(count)]
    return [
        f"{text} {SCRIPTS[row % len(SCRIPTS)]} {row % 90}" if row % 5 == 0 else text for row, text in enumerate(texts)
    ]


@pytest.fixture(scope="session")
def corpus() -> list[str]:
    return corpus_of(400)


@pytest.fixture(scope="session")
def label_texts() -> list[str]:
    return corpus_of(100, seed=6)
