"""A saved model is used in a process that cannot import torch."""

import json
import subprocess
import sys

import pytest

from tiny import tiny_config, tiny_data
from xclare.data.formats.npz import write_csr
from xclare.inference.predictor import Predictor
from xclare.threads import threads

WITHOUT_TORCH = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            raise ImportError(f"{name} must not be imported", name="torch")
sys.meta_path.insert(0, Refuse())
"""
USE = """
import json, numpy as np
from pathlib import Path
from typer.testing import CliRunner
from xclare import Dataset, Eclare
from xclare.cli.main import app
from xclare.data.formats.npz import read_csr

folder = Path(sys.argv[1])
model = Eclare.from_pretrained(folder / "model")
test = Dataset.load(folder / "data").test
scores = model.predict_scores(read_csr(folder / "features.npz"), k=30)
found = {"texts": model.predict(list(test.texts), k=30), "scores": scores.toarray().tolist()}

def command(*arguments, **options):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], **options)
    return {"status": result.exit_code, "out": result.stdout, "err": result.stderr}

found["predict"] = command("predict", folder / "model", "--format", "jsonl", input="red apple\\n")
found["predict csr"] = command("predict", folder / "model", folder / "features.npz", "--out", folder / "p.txt")
found["evaluate"] = command("evaluate", folder / "data", "--model", folder / "model", "--json")
found["inspect"] = command("inspect", folder / "model", "--json")
found["train"] = command("train", folder / "data", "--model", folder / "other", "--quiet")
found["baseline"] = command("baseline", "popularity", folder / "data", "--json")
assert "torch" not in sys.modules
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    from xclare.estimator import save_model
    from xclare.training.pipeline import train_model
    from xclare.training.prepared import prepare

    folder = tmp_path_factory.mktemp("used")
    data = tiny_data()
    data.save(folder / "data", "xc-raw")
    with threads(1):
        model = train_model(prepare(data, tiny_config("reference")))
    save_model(model, folder / "model")
    write_csr(folder / "features.npz", model.text.transform(data.test.texts))
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH + USE, str(folder)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return data, Predictor(model), json.loads(result.stdout)


def test_texts_and_features_are_predicted_as_with_torch(used):
    data, predictor, found = used
    expected = predictor.predict(list(data.test.texts), 30)
    assert [[tuple(pair) for pair in row] for row in found["texts"]] == expected
    features = predictor.features(data.test.texts)
    assert found["scores"] == predictor.scores(features, 30).toarray().tolist()


def test_every_verb_about_a_model_works(used):
    _, _, found = used
    for name in ("predict", "predict csr", "evaluate", "inspect", "baseline"):
        assert found[name]["status"] == 0, found[name]
    assert json.loads(found["predict"]["out"])["text"] == "red apple"
    assert json.loads(found["evaluate"]["out"])["documents"] == 12
    assert json.loads(found["inspect"]["out"])["about"]["sizes"]["labels"] == 30


def test_training_says_what_to_install(used):
    _, _, found = used
    assert found["train"]["status"] == 2
    assert 'pip install "xclare[train]"' in found["train"]["err"]
