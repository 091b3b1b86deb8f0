"""Results: what a run keeps is what the next one compares with."""

from pathlib import Path

from bench.results import Run, earlier
from bench.table import Column, Table

COLUMNS = (Column("site", "site"), Column("rate", "rate", ".0f", headline=True))


def table(rate: float) -> Table:
    return Table("t", COLUMNS, [{"site": "small", "rate": rate}])


def test_the_newest_table_of_a_title_is_the_one_to_compare_with(tmp_path: Path) -> None:
    for name, rate in (("20240101-000000-quick", 1.0), ("20240102-000000-quick", 2.0)):
        run = Run("quick", tmp_path)
        run.path = tmp_path / name
        run.add("b", table(rate))
    assert earlier(tmp_path, "quick")["t"]["rows"][0]["rate"] == 2.0


def test_scales_are_not_compared_with_each_other(tmp_path: Path) -> None:
    Run("quick", tmp_path).add("b", table(1.0))
    assert earlier(tmp_path, "usual") == {}


def test_a_run_is_kept_for_people_and_for_machines(tmp_path: Path) -> None:
    run = Run("quick", tmp_path)
    shown = run.add("b", table(1.0))
    assert shown in run.path.with_suffix(".txt").read_text()
    assert run.path.with_suffix(".json").exists()
