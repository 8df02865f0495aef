"""A model of format 1 that was saved once stays readable and predicts the same, also where torch is missing.

`model_format_1` was trained on `tiny.tiny_data()`, with `tiny.tiny_config("reference", training__epochs_4=10)` and the
seed 1.
"""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tiny import tiny_data
from xclare import Eclare
from xclare.cli.main import app
from xclare.inference.model_folder import SavedModel
from xclare.inference.predictor import Predictor
from xclare.inference.scoring import predictions_of_model

FOLDER = Path(__file__).parent / "model_format_1"
TEXTS = ["red apple", "old lamp and old chair", "", "漢字"]
EXPECTED = {
    "shortlist": [
        [("green apple", 0.353873), ("old apple", 0.339805), ("red apple", 0.312054)],
        [("old mountain", 0.194830), ("old river", 0.175357), ("old chair", 0.156542)],
        [],
        [],
    ],
    "exact": [
        [("green apple", 0.505939), ("old apple", 0.486205), ("red apple", 0.458089)],
        [("old mountain", 0.308077), ("old river", 0.275320), ("old chair", 0.256361)],
        [],
        [],
    ],
}


@pytest.mark.parametrize("search", EXPECTED)
def test_it_predicts_as_it_did(search):
    found = Predictor.load(FOLDER).predict(TEXTS, 3, search=search)
    for row, expected in zip(found, EXPECTED[search], strict=True):
        assert [label for label, _ in row] == [label for label, _ in expected]
        assert [score for _, score in row] == pytest.approx([score for _, score in expected], abs=2e-6)


def test_every_way_to_it_is_open():
    model = Eclare.from_pretrained(FOLDER)
    assert model.predict("red apple", k=1)[0][0] == "green apple"
    assert (model.preset, model.seed, model.config().game.keep) == ("reference", 1, 2)
    assert predictions_of_model(FOLDER, tiny_data().test).shape == (12, 30)
    assert SavedModel.load(FOLDER).about["sizes"]["labels"] == 30


@pytest.mark.parametrize(
    ("arguments", "what"),
    [(["predict", "--format", "jsonl"], "predictions"), (["inspect", "--json"], "components")],
)
def test_the_command_line_reads_it(arguments, what):
    verb, *options = arguments
    result = CliRunner().invoke(app, [verb, str(FOLDER), *options], input="red apple\n")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)[what]
