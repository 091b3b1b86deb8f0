"""Every link graph keeps the promises of its joint."""

from pathlib import Path

import pytest

from gossamer.joints.graph import LinkGraph
from gossamer.storage import linkgraph
from gossamer.storage.linkgraph import EdgeLog
from gossamer.storage.nograph import NoGraph
from gossamer.testing.linkgraph import RULES, SOME, Rule


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("roll", [linkgraph.ROLL, 1], ids=["one file", "a file a block"])
async def test_a_graph_keeps_its_promise(rule: Rule, roll: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linkgraph, "ROLL", roll)
    await rule(EdgeLog.open, tmp_path / "graph")


async def test_every_graph_looks_like_its_joint(tmp_path: Path) -> None:
    graph = EdgeLog.open(tmp_path / "graph")
    assert isinstance(graph, LinkGraph)
    assert isinstance(NoGraph(), LinkGraph)
    await graph.aclose()


async def test_no_graph_keeps_nothing(tmp_path: Path) -> None:
    graph = NoGraph.open(tmp_path / "graph")
    await graph.put([(1, SOME)])
    await graph.checkpoint(tmp_path / "copy")
    assert list(graph.pages()) == [] and list(tmp_path.iterdir()) == []
    await graph.aclose()
