"""What the commands do, and what they print."""

import json
from pathlib import Path

import pytest

from tests.surfaces.shell import Call, run

TOKEN = "ghp_" + "k3jQz81mVtR7xYbN20aLwPdE5sHcUf946TgO"


def _id(answer: str) -> str:
    found: str = json.loads(answer)["outcomes"][0]["id"]
    return found


def test_a_keyed_memory_is_replaced_and_undone(lamina: Call) -> None:
    lamina("remember", "Deploys on Tuesdays", "--key", "day", "--kind", "convention")
    second = lamina(
        "remember", "Deploys on Thursdays", "--key", "day", "--kind", "convention", "--json"
    )
    assert [
        hit["record"]["text"] for hit in lamina("recall", "deploys", "--json").json["hits"]
    ] == ["Deploys on Thursdays"]
    shown = lamina("history", "day")
    assert "[-Tuesdays-]{+Thursdays+}" in shown.out
    assert f"tx {second.json['tx']}" in shown.out
    planned = lamina("undo", second.json["tx"], "--dry-run")
    assert planned.out.strip().split("\t")[1:] == ["Deploys on Thursdays", "Deploys on Tuesdays"]
    [would] = lamina("undo", second.json["tx"], "--dry-run", "--json").json["undoing"]
    assert would["then"]["text"] == "Deploys on Tuesdays"
    assert lamina("get", "day", "--quiet").out == "Deploys on Thursdays\n"
    assert lamina("undo", second.json["tx"]).status == 0
    assert lamina("get", "day", "--quiet").out == "Deploys on Tuesdays\n"


def test_all_fields_can_be_said(lamina: Call) -> None:
    lamina(
        "remember", "x", "--key", "k", "--kind", "decision", "--layer", "knowledge", "--scope",
        "project/web/task/t-1", "--tag", "a", "--tag", "b", "--data", '{"n": 1}', "--importance",
        "0.25", "--confidence", "0.5", "--expires", "7d", "--via", "web", "--expect", "0",
    )  # fmt: skip
    record = lamina("get", "k", "--json").json
    assert record["tags"] == ["a", "b"]
    assert record["data"] == {"n": 1}
    assert (record["importance"], record["confidence"], record["trust"]) == (0.25, 0.5, "web")
    assert record["scope"] == "project/web/task/t-1"
    assert record["expires_at"] is not None
    assert "tags        a, b" in lamina("get", "k").out


def test_the_same_idempotency_key_acts_once(lamina: Call) -> None:
    first = lamina("remember", "x", "--idempotency-key", "i", "--json").json
    again = lamina("remember", "x", "--idempotency-key", "i", "--json").json
    assert (again["tx"], again["repeated"]) == (first["tx"], True)


def test_quiet_prints_ids_alone(lamina: Call) -> None:
    kept = lamina("remember", "Ann drinks tea", "--quiet").out
    assert len(kept.strip()) == 26
    assert lamina("recall", "tea", "-q").out == lamina("list", "-q").out == kept


def test_recall_explains_and_abstains(lamina: Call) -> None:
    lamina("remember", "Ann drinks tea", "--key", "tea")
    found = lamina("recall", "who", "drinks", "tea", "--explain").out
    assert "Ann drinks tea" in found
    assert "matched: " in found
    nothing = lamina("recall", "zebra crossing")
    assert (nothing.status, nothing.out) == (0, "Nothing relevant is remembered.\n")
    assert lamina("recall", "tea", "--where", '{"kind": "decision"}', "--json").json["abstained"]
    assert lamina("recall", "tea", "--layer", "episode", "--json").json["hits"] == []


def test_list_and_query_filter(lamina: Call) -> None:
    lamina("remember", "one", "--tag", "a", "--importance", "0.95")
    lamina("remember", "two\tcolumns\nand lines", "--tag", "b", "--kind", "decision")
    assert [r["text"] for r in lamina("list", "--tag", "a", "--json").json["records"]] == ["one"]
    assert lamina("list", "--kind", "decision").out.endswith("\ttwo\\tcolumns\\nand lines\n")
    assert len(lamina("list", "--limit", "1", "--json").json["records"]) == 1
    found = lamina("query", '{"importance": {"$gte": 0.95}}', "--json").json["records"]
    assert [record["text"] for record in found] == ["one"]
    assert lamina("list", "--state", "forgotten").err == "Nothing matches.\n"
    assert lamina("list", "--state", "forgotten", "--json").json == {"records": [], "total": 0}


def test_a_list_that_stops_says_of_how_many(lamina: Call) -> None:
    for number in range(3):
        lamina("remember", f"number {number}", "--kind", "decision")
    for command in (("list",), ("query", '{"kind": "decision"}')):
        cut = lamina(*command, "--limit", "2")
        assert cut.err == "2 of 3 shown; --limit shows more\n"
        assert lamina(*command, "--limit", "2", "--json").json["total"] == 3
        assert lamina(*command, "--limit", "2", "--quiet").err == ""
        assert lamina(*command, "--limit", "3").err == ""


def test_a_list_for_programs_has_every_column(lamina: Call) -> None:
    lamina("remember", "one", "--key", "k", "--scope", "project/web")
    [row] = lamina("list").out.splitlines()
    assert row.split("\t")[1:5] == ["knowledge", "fact", "k", "project/web"]


def test_forget_hides_and_undo_brings_back(lamina: Call) -> None:
    lamina("remember", "Ann drinks tea", "--key", "tea")
    tx = lamina("forget", "tea", "--json").json["tx"]
    assert lamina("get", "tea").status == 3
    assert lamina("list", "--state", "forgotten", "--json").json["records"][0]["key"] == "tea"
    lamina("undo", tx)
    assert lamina("get", "tea").status == 0


def test_erase_takes_a_list_of_ids_and_leaves_out_what_is_not_there(
    lamina: Call, tmp_path: Path
) -> None:
    ids = [_id(lamina("remember", f"Tea number {n}", "--json").out) for n in range(4)]
    lamina("forget", ids[1])
    lamina("erase", ids[2], "--yes")
    (tmp_path / "ids").write_text("\n".join([*ids[:3], "", ids[0]]) + "\n")
    listed = ("erase", "--from", str(tmp_path / "ids"))
    assert "nobody is there to ask" in lamina(*listed).err
    report = lamina(*listed, "--yes")
    assert "records\t2\n" in report.out
    assert "1 of 3 ids listed are not there" in report.err
    assert "none of the ids listed is there" in lamina(*listed, "--yes").err
    assert lamina(*listed, "--yes", "--json").json["records"] == []
    assert all(lamina("get", gone).status == 3 for gone in ids[:3])
    assert lamina("get", ids[3]).status == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("not an id\n", "line 1 of {file} is no id: 'not an id'"),
        (None, "{file} cannot be read"),
    ],
)
def test_erase_refuses_a_list_that_is_none(
    lamina: Call, tmp_path: Path, given: str | None, said: str
) -> None:
    kept, file = _id(lamina("remember", "Tea", "--json").out), tmp_path / "ids"
    if given is not None:
        file.write_text(given)
    refused = lamina("erase", "--from", str(file), "--yes")
    assert refused.status == 2
    assert said.format(file=file) in refused.err
    assert "nothing was named" in lamina("erase", "--yes").err
    assert lamina("get", kept).status == 0


def test_erase_reports_and_history_says_erased(lamina: Call) -> None:
    kept = _id(lamina("remember", "Ann drinks tea", "--key", "tea", "--json").out)
    refused = lamina("erase", "tea")
    assert refused.status == 2
    assert "--yes" in refused.err
    assert lamina("get", "tea").status == 0
    report = lamina("erase", "tea", "--yes", "--json").json
    assert (report["records"], report["complete"]) == ([kept], True)
    assert lamina("history", kept).out.count("   erased\n") == 2


@pytest.mark.usefixtures("store")
def test_history_says_what_happened(lamina: Call) -> None:
    lamina("config", "set", "knowledge.accept", "review")
    finn = ("--project", "web", "--as", "finn")
    kept = _id(lamina(*finn, "remember", "x", "--scope", "project/web", "--json").out)
    lamina("accept", kept)
    lamina("forget", kept)
    said = [row.split("  ")[1] for row in lamina("history", kept).out.splitlines() if "tx" in row]
    assert said == ["proposed", "moved to current", "moved to forgotten"]


def test_a_secret_is_sealed_and_revealed(lamina: Call) -> None:
    kept = _id(lamina("remember", f"token {TOKEN}", "--json").out)
    text = lamina("get", kept, "--json").json["text"]
    assert TOKEN not in text
    assert lamina("reveal", kept, text.split()[-1]).out == f"{TOKEN}\n"
    assert lamina("reveal", kept, "secret://" + "a" * 26).status == 3
    assert lamina("reveal", kept, "the token").status == 2
    assert "  secret read  " in lamina("history", kept).out


def test_sealing_is_told(lamina: Call) -> None:
    said = lamina("remember", f"token {TOKEN}", "--key", "k").out.splitlines()[1]
    reference = lamina("get", "k", "-q").out.split()[-1]
    assert said == f"1 secret sealed: {reference}"
    again = lamina("remember", f"the token is {TOKEN}", "--json").json
    assert again["sealed"] == [reference]
    assert "sealed" not in lamina("remember", "nothing of the kind").out


@pytest.mark.usefixtures("store")
def test_a_proposal_waits_for_acceptance(lamina: Call) -> None:
    lamina("config", "set", "knowledge.accept", "review")
    proposed = lamina(
        "--project", "web", "--as", "finn", "remember", "x", "--scope", "project/web", "--json"
    )
    [outcome] = proposed.json["outcomes"]
    assert outcome["state"] == "proposed"
    assert lamina("--project", "web", "--as", "finn", "accept", outcome["id"]).status == 4
    assert lamina("--project", "web", "accept", outcome["id"]).status == 0
    assert lamina("get", outcome["id"], "--json").json["state"] == "current"


def test_a_project_confines_and_a_named_scope_leaves_it(lamina: Call) -> None:
    lamina("--project", "web", "remember", "web only", "--key", "w")
    lamina("--project", "api", "remember", "for all", "--key", "g", "--global")
    assert lamina("--project", "api", "get", "w").status == 3
    assert lamina("--project", "api", "get", "w", "--scope", "project/web").status == 0
    assert lamina("--project", "web", "get", "g", "--json").json["scope"] == "global"
    assert lamina("--project", "web", "--role", "reader", "remember", "x").status == 4
    assert lamina("--project", "api", "--as", "a", "get", "w", "--scope", "project/web").status == 3


def test_doctor_is_content_and_can_rebuild(lamina: Call) -> None:
    lamina("remember", "Ann drinks tea")
    assert lamina("doctor").status == 0
    repaired = lamina("doctor", "--repair", "--json").json
    assert (repaired["ok"], repaired["indexed"]) == (True, 1)
    assert lamina("recall", "tea", "--json").json["hits"]


def test_doctor_misses_the_key_to_the_secrets(lamina: Call, store: Path) -> None:
    lamina("remember", f"token {TOKEN}")
    assert "secrets\tok" in lamina("doctor").out
    (store / "secret.key").unlink()
    lost = lamina("doctor", "--json")
    assert (lost.status, lost.json["ok"]) == (9, False)
    [found] = [one for one in lost.json["findings"] if one["check"] == "secrets"]
    assert found["severity"] == "record"
    assert found["remedy"]


def test_export_and_import_keep_everything(
    lamina: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in ("one", "two", "three"):
        lamina("remember", text, "--key", "k")
    target = tmp_path / "out.jsonl"
    told = {"file": str(target), "written": 1, "secrets": 0}
    assert lamina("export", str(target), "--json").json == told
    assert lamina("export").out == target.read_text(encoding="utf-8")
    assert target.stat().st_mode & 0o077 == 0
    assert lamina("export", "--history").out.count("\n") == 3
    other = ("--dir", str(tmp_path / "other"))
    assert lamina(*other, "import", str(target), "--json").json["added"] == 1
    assert lamina(*other, "import", str(target), "--json").json["unchanged"] == 1
    assert lamina(*other, "export").out == target.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.glob(".out*")] == []


def test_secrets_leave_as_references(lamina: Call, tmp_path: Path) -> None:
    kept = _id(lamina("remember", f"token {TOKEN}", "--json").out)
    target = tmp_path / "out.jsonl"
    told = "1 secret is exported as a reference, not its value\n"
    assert lamina("export").err == told
    assert lamina("export", str(target)).err == told
    assert lamina("export", str(target), "--json").json["secrets"] == 1
    assert lamina("export", "--quiet").err == ""
    other = ("--dir", str(tmp_path / "other"))
    taken = lamina(*other, "import", str(target))
    assert "secrets not in this store\t1\n" in taken.out
    lamina(*other, "erase", kept, "--yes")
    assert "skipped, erased here\t1\n" in lamina(*other, "import", str(target)).out


def test_a_bad_line_is_reported_and_the_rest_goes_on(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "one")
    good = lamina("export").out
    source = tmp_path / "in.jsonl"
    source.write_bytes(b"nonsense\n" + good.encode() + b"\xff\n")
    answer = lamina("--dir", str(tmp_path / "other"), "import", str(source), "--json")
    assert answer.status == 2
    assert answer.json["added"] == 1
    assert [failure["line"] for failure in answer.json["failed"]] == [1, 3]


def test_standard_input_is_a_memory_too(tmp_path: Path) -> None:
    assert (
        run(
            "--dir", "s", "remember", "-", "--key", "k", cwd=tmp_path, stdin="tée\n".encode()
        ).status
        == 0
    )
    assert run("--dir", "s", "get", "k", "-q", cwd=tmp_path).out == "tée\n"
    assert run("--dir", "s", "remember", "-", cwd=tmp_path, stdin=b"\xff").status == 2
    assert run("--dir", "s", "remember", "-", cwd=tmp_path, stdin=b"x" * 1_048_580).status == 2


def test_the_demo_runs_to_its_end(lamina: Call) -> None:
    answer = lamina("demo")
    assert answer.status == 0, answer.err
    assert "nowhere" in answer.out
    assert "complete" in answer.out
    assert "That was the tour" in answer.out
    assert "17 of 17 steps went as the story goes" in answer.out


def test_several_words_are_one_text(lamina: Call) -> None:
    assert lamina("remember", "two", "words", "--key", "k").status == 0
    assert lamina("get", "k", "--quiet").out == "two words\n"
    assert lamina("remember", "-", "words", "--key", "dash").status == 0
    assert lamina("get", "dash", "--quiet").out == "- words\n"
