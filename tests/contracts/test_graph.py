"""Every link graph keeps the promises of its joint."""

from pathlib import Path

import pytest
from plain_stores import PlainGraph

from gossamer.joints.graph import LinkGraph
from gossamer.records.location import Location
from gossamer.storage import linkgraph
from gossamer.storage.linkgraph import EdgeLog
from gossamer.storage.nograph import NoGraph
from gossamer.storage.shelving import DirectoryShelving
from gossamer.testing.graph import RULES, SOME, Rule, walked


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("roll", [linkgraph.ROLL, 1], ids=["one file", "a file a block"])
async def test_a_graph_keeps_its_promise(rule: Rule, roll: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linkgraph, "ROLL", roll)
    await rule(lambda path: EdgeLog.open(Location("edges", path, "edges:graph"), True, True), tmp_path / "graph")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
async def test_a_graph_of_a_plugin_keeps_its_promise(rule: Rule, tmp_path: Path) -> None:
    await rule(lambda path: PlainGraph.open(Location("plain", path, "plain:graph"), True, True), tmp_path / "graph")


async def test_every_graph_looks_like_its_joint(tmp_path: Path) -> None:
    graph = EdgeLog.open_at(tmp_path / "graph")
    assert isinstance(graph, LinkGraph)
    assert isinstance(NoGraph(), LinkGraph)
    await graph.aclose()


async def test_no_graph_keeps_nothing(tmp_path: Path) -> None:
    graph = await NoGraph.open(Location("none", tmp_path / "graph", "none:graph"), True, True)
    await graph.put([(1, SOME)])
    await graph.checkpoint(DirectoryShelving(tmp_path / "copy"))
    assert await walked(graph) == [] and list(tmp_path.iterdir()) == []
    await graph.aclose()
