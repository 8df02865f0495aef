import numpy as np
import pytest

from xclare.errors import InputError, MissingExtraError
from xclare.graph.neighbourhood import Neighbourhood
from xclare.report.graph_figure import neighbourhood_figure, spread
from xclare.report.plots import POINTS, label_frequency_figure, save_figure

matplotlib = pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")


def test_the_curve_rises_from_rare_to_popular_and_the_line_stands_at_five():
    counts = np.array([7, 1, 0, 3, 900])
    (axes,) = label_frequency_figure({"small": counts}).axes
    curve, line = axes.get_lines()
    assert curve.get_ydata().tolist() == [0, 1, 3, 7, 900]
    assert curve.get_xdata().tolist() == [20, 40, 60, 80, 100]
    assert list(line.get_ydata()) == [5, 5]
    assert line.get_linewidth() > curve.get_linewidth()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["small: 60 % rare"]


def test_millions_of_labels_make_a_small_figure_with_both_ends():
    counts = np.arange(1_000_000)
    (axes,) = label_frequency_figure({"many": counts}).axes
    drawn = axes.get_lines()[0].get_ydata()
    assert len(drawn) <= POINTS
    assert (drawn[0], drawn[-1]) == (0, 999_999)


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_equal_figures_give_equal_bytes(ending, tmp_path):
    for name in ("a", "b"):
        save_figure(label_frequency_figure({"small": np.array([1, 2, 30])}), tmp_path / f"{name}.{ending}")
    first, second = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("a", "b"))
    assert first == second
    assert len(first) > 1000


def test_an_unknown_ending_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(InputError, match=r"expected one of \.svg, \.png, \.pdf"):
        save_figure(label_frequency_figure({"small": np.array([1])}), tmp_path / "figure.jpeg")
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_the_error_is_the_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r'pip install "xclare\[plots\]"'):
        label_frequency_figure({"small": np.array([1])})


def test_a_neighbourhood_is_drawn_with_a_node_a_label_and_its_name():
    around = Neighbourhood(np.array([3, 5, 8]), np.array([40, 9, 1]), [(0, 1, 2), (1, 2, 3)], [(0, 1)])
    (axes,) = neighbourhood_figure(around, ["start", "near", "a very long name that has to be cut off somewhere"]).axes
    texts = [text.get_text() for text in axes.texts if text.get_text()]
    assert texts[:2] == ["start (40)", "near (9)"]
    assert texts[2].endswith("… (1)")
    assert [line.get_linestyle() for line in axes.get_lines()] == [":"]


def test_nodes_are_spread_without_chance_and_apart():
    places = spread(6, [(0, 1), (0, 2), (3, 4)])
    np.testing.assert_array_equal(places, spread(6, [(0, 1), (0, 2), (3, 4)]))
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)[np.triu_indices(6, 1)]
    assert distances.min() > 0.1
