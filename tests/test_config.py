import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xclare.config import PRESETS, Config, sections_and_keys
from xclare.errors import SettingError


@pytest.mark.parametrize("preset", PRESETS)
def test_a_configuration_survives_the_way_through_json(preset):
    config = Config.of_preset(preset).replaced("data.text_fields", ("title", "content"))
    assert Config.from_json(config.to_json()) == config


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_a_named_difference_from_the_defaults(preset):
    config, defaults = (one.to_dict() for one in (Config.of_preset(preset), Config()))
    named = PRESETS[preset]
    for section, values in defaults.items():
        if section != "preset":
            assert config[section] == {**values, **named.get(section, {})}
    assert (config["preset"], set(named) <= set(defaults)) == (preset, True)


def test_what_the_presets_are_for():
    assert not PRESETS["auto"]
    assert Config.of_preset("paper").text.stop_words == "english"
    assert Config.of_preset("reference").predict.game == "after_product"
    assert Config.of_preset("decaf").model.order == 0
    assert not Config.of_preset("astec-like").model.label_text


def test_every_setting_has_a_sentence_below_it():
    import ast
    import inspect

    for section in dataclasses.fields(Config):
        part = getattr(Config(), section.name)
        if not dataclasses.is_dataclass(part):
            continue
        (body,) = [node for node in ast.parse(inspect.getsource(type(part))).body if isinstance(node, ast.ClassDef)]
        for here, after in zip(body.body, [*body.body[1:], None], strict=True):
            if isinstance(here, ast.AnnAssign):
                assert isinstance(after, ast.Expr), f"{section.name}.{ast.unparse(here.target)} has no docstring"
                assert ast.literal_eval(after.value).rstrip().endswith("."), ast.unparse(here.target)


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("data.splt=hash:0.1", "section 'data' has no 'splt'; did you mean 'split'"),
        ("dta.split=hash:0.1", "there is no section 'dta'; did you mean data.split?"),
        ("texts.lower=1", "there is no section 'texts'; did you mean 'text'"),
        ("split=hash:0.1", "did you mean data.split"),
        ("data.split", "expected section.key=value"),
        ("data.split=hash:2", "expected `none`, `hash:SHARE`"),
        ("baselines.neighbours=many", "baselines.neighbours = 'many': expected a whole number"),
        ("baselines.neighbours=0", "baselines.neighbours = 0: expected a number of at least 1"),
        ("text.bigrams=perhaps", "expected true or false"),
        ("evaluation.propensity_a=x", "expected a number"),
        ("preset=paper", "there is no section 'preset'"),
    ],
)
def test_a_bad_assignment_is_refused_with_what_was_meant(assignment, message):
    with pytest.raises(SettingError) as error:
        Config().with_assignments([assignment])
    assert message in str(error.value)


def test_an_unknown_preset_is_refused_with_the_nearest_one():
    with pytest.raises(SettingError, match="did you mean 'paper'"):
        Config.of_preset("papr")


@pytest.mark.parametrize("text", ["[1]", "{", '{"data": 3}', '{"text": {"bigrams": 2.5}}'])
def test_broken_json_is_a_setting_error(text):
    with pytest.raises(SettingError):
        Config.from_json(text)


@given(st.sampled_from(sections_and_keys(Config())), st.text(max_size=10))
def test_no_text_given_to_any_setting_fails_with_anything_but_a_setting_error(name, text):
    try:
        changed = Config().with_assignments([f"{name}={text}"])
    except SettingError:
        return
    assert Config.from_json(changed.to_json()) == changed


def test_assignments_are_applied_in_order():
    config = Config().with_assignments(["data.text_fields=title, content", "text.bigrams=on", "text.bigrams=off"])
    assert config.data.text_fields == ("title", "content")
    assert config.text.bigrams is False
