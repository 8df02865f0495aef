import math
import subprocess
import sys

import pytest

from xclare.errors import SettingError
from xclare.evaluation.settings import EvaluationSettings


def test_the_defaults_are_those_of_the_repository():
    settings = EvaluationSettings()
    assert (settings.propensity_a, settings.propensity_b, settings.ks) == (0.55, 1.5, (1, 3, 5))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("propensity_a", -0.1),
        ("propensity_a", math.nan),
        ("propensity_b", 0),
        ("ks", ()),
        ("ks", (0, 1)),
        ("ks", (3, 1)),
        ("ks", (1, 1)),
        ("ks", (1.5,)),
        ("recall_ks", (True,)),
    ],
)
def test_values_out_of_range_are_refused_by_name(field, value):
    with pytest.raises(SettingError, match=f"evaluation.{field} = "):
        EvaluationSettings(**{field: value})


def test_settings_are_read_without_numpy():
    code = "import sys, xclare.evaluation.settings; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
