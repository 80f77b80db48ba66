"""The retrieval benchmark asks the product itself, hides the answers, and leaves nothing behind."""

import json
import re
from pathlib import Path

import pytest

from lamina.bench.ablations import ABLATIONS
from lamina.bench.retrieval import Plan, measure
from lamina.bench.scoring import CUTOFFS
from lamina.bench.sets import load
from lamina.bench.telling import told
from lamina.errors import InvalidInputError
from tests.bench.small_sets import unseen, write
from tests.surfaces.shell import on_terminal, run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return write(folder)


def test_a_store_is_told_documents_without_their_ids(data: Path, tmp_path: Path) -> None:
    garden = load(data, ["garden"])[0].collections[0]
    with told(tmp_path / "store", garden, "off", lambda share: None) as store:
        records = {store.documents[one.id]: one for one in store.mem.query()}
        assert store.layers == ("knowledge", "session")
        # Neither a document's id nor anything of a question has been stored with it.
        assert [store.ask(hidden, floor=0.0).documents for hidden in ("d3", "colour")] == [(), ()]
        found = store.ask("Who painted the shed?")
        # No question moves the answer to the next.
        assert store.mem.store.usage(store.mem.reach, [one.id for one in records.values()]) == {}
    assert set(records) == {"d1", "d2", "d3", "d4"}
    assert [(records[d].layer, records[d].kind) for d in sorted(records)] == [
        ("session", "user"), ("session", "user"), ("session", "assistant"), ("knowledge", "fact"),
    ]  # fmt: skip
    assert records["d1"].source == "ada-l"
    # Two sessions whose names read alike stay two.
    assert records["d1"].scope == records["d2"].scope == "project/bench/session/s-1"
    assert records["d3"].scope == "project/bench/session/s-1-2"
    assert records["d4"].valid_from is None
    assert found.documents[0] == "d3"
    assert len(found.documents) == len(found.scores)


def test_a_run_gives_every_figure_and_cleans_up(data: Path, tmp_path: Path) -> None:
    scratch, runs = tmp_path / "scratch", tmp_path / "runs"
    answer = run(
        "bench", "retrieval", "--data", str(data), "--dir", str(scratch), "--embedder", "static",
        "--run-dir", str(runs), "--json",
    )  # fmt: skip
    assert answer.status == 0, answer.err
    assert list(scratch.iterdir()) == []
    found = answer.json
    assert list(found["sets"]) == ["garden", "harbour"]
    garden = found["sets"]["garden"]
    wanted = {f"{name}@{k}" for name in ("any", "recall", "all") for k in CUTOFFS}
    assert wanted | {"mrr", "silent", "ms_p50", "ms_p95", "recall@10_no_floor"} <= set(garden)
    assert garden["recall@10_plain"] <= garden["recall@10"]
    assert 0 < garden["hits_plain"] <= 10
    assert (garden["queries"], garden["abstain_queries"], garden["documents"]) == (3, 1, 6)
    assert set(garden["categories"]) == {"colour", "who", "nobody knows"}
    assert found["mean"]["recall@10"] == pytest.approx(
        (garden["recall@10"] + found["sets"]["harbour"]["recall@10"]) / 2, abs=1e-4
    )
    assert found["config"]["embedder"] == "static"
    assert set(found["abstention"]["sets"]["garden"]) == {
        "cross_store", "same_set", "other_sets", "no_gold",
    }  # fmt: skip
    assert found["abstention"]["curve"][0]["lost"] == 0
    assert set(found["ablations"]) == {one.name for one in ABLATIONS}


def test_what_was_found_is_left_for_another_program_to_score(data: Path, tmp_path: Path) -> None:
    plan = Plan(data, embedder="off", ablations=False, runs=tmp_path / "runs", folder=tmp_path)
    figures = measure(plan, unseen).to_json()
    assert figures["ablations"] == {}
    for name, ending in (("mrr", ""), ("mrr_no_floor", ".no-floor")):
        lines = (tmp_path / "runs" / f"garden{ending}.run.jsonl").read_text("utf-8").splitlines()
        run_lines = {(one["store"], one["query"]): one["ranked"] for one in map(json.loads, lines)}
        garden = load(data, ["garden"])[0]
        ranks = [
            next((1 / at for at, d in enumerate(run_lines[one.name, q.id], 1) if d in q.gold), 0)
            for one in garden.collections
            for q in one.questions
            if q.gold
        ]
        assert len(run_lines) == 4
        assert figures["sets"]["garden"][name] == pytest.approx(sum(ranks) / 3, abs=1e-4)


def test_a_person_sees_tables_and_a_curve(data: Path, tmp_path: Path) -> None:
    answer = run(
        "bench", "retrieval", "--data", str(data), "--dir", str(tmp_path), "--embedder", "off",
        "--sets", "garden", "--limit-queries", "2", "--no-ablations",
    )  # fmt: skip
    assert answer.status == 0, answer.err
    for expected in ("garden", "mean of sets", "asked of another store", "Silence against recall"):
        assert expected in answer.out
    assert "harbour" not in answer.out
    assert "without" not in answer.out
    headings = "set\tqueries\tmrr\tr@1\tr@5\tr@10\tno floor\tall@10\tsilent\tp50 ms\tp95 ms"
    assert headings in answer.out.splitlines()


def test_what_cannot_be_measured_is_refused(data: Path) -> None:
    with pytest.raises(InvalidInputError, match="limit_queries"):
        Plan(data, limit=0)
    with pytest.raises(InvalidInputError, match="embedder"):
        Plan(data, embedder="a good one")


def test_the_table_has_its_headings_on_a_terminal(data: Path) -> None:
    answer = on_terminal(
        "bench", "retrieval", "--data", str(data), "--embedder", "off", "--sets", "garden",
        "--limit-queries", "2", "--no-ablations", cwd=data.parent, columns=100,
    )  # fmt: skip
    shown = re.sub(r"\x1b\[[\d;?]*\w", "", answer.out)
    assert re.search(r"set +queries +mrr +r@1 +r@5 +r@10 +no floor +all@10 +silent", shown)
    assert re.search(r"p50 ms +p95 ms", shown)
