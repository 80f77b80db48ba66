"""`lamina compact`: what is long gives way to a summary, and comes back."""

from pathlib import Path

import pytest

import lamina as package
from tests.embedders.servers import closing, failing, saying, serving
from tests.models.servers import whole
from tests.surfaces.shell import Call

FINN = ("--as", "finn", "--project", "web")


@pytest.fixture
def long(lamina: Call, store: Path) -> None:
    """A log of 120 entries and a session of 15 messages."""
    with package.open(store) as mem:
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        finn.remember_many([{"layer": "log", "text": f"heron {n}"} for n in range(120)])
        finn.session("s-1").extend([{"role": "user", "text": f"falcon {n}"} for n in range(15)])


@pytest.mark.usefixtures("long")
def test_a_dry_run_says_what_would_go_and_changes_nothing(lamina: Call) -> None:
    shown = lamina("compact", "--dry-run", *FINN)
    assert "would replace\t120 of log in project/web/agent/finn; 0 stay" in shown.out
    assert "120 entries from" in shown.out
    found = lamina("compact", "--dry-run", "--force", "--json", *FINN).json
    assert found["applied"] is False
    assert [(one["what"], one["replaced"], one["kept"], one["tx"]) for one in found["compacted"]] \
        == [("log", 120, 0, None), ("session s-1", 5, 10, None)]  # fmt: skip
    assert lamina("list", "--layer", "archive", "-q", *FINN).out == ""


@pytest.mark.usefixtures("long")
def test_what_is_long_is_compacted_and_taken_back(lamina: Call) -> None:
    [done] = lamina("compact", "--json", *FINN).json["compacted"]
    assert (done["what"], done["replaced"]) == ("log", 120)
    assert done["after_bytes"] < done["before_bytes"]
    hits = lamina("recall", "heron 77", "--layer", "archive", *FINN)
    assert "heron 77" in hits.out
    idle = lamina("compact", *FINN)
    assert (idle.status, idle.out) == (0, "")
    assert "--force compacts it all the same" in idle.err
    shown = lamina("compact", "--session", "s-1", "--force", *FINN)
    [line] = [one for one in shown.out.splitlines() if one.startswith("to take it back")]
    tx = line.split()[-1]
    assert lamina("undo", tx, *FINN).status == 0
    assert lamina("undo", done["tx"], *FINN).status == 0
    assert lamina("list", "--layer", "archive", "-q", *FINN).out == ""


@pytest.mark.usefixtures("long")
def test_a_session_that_is_not_there_is_not_found(lamina: Call) -> None:
    refused = lamina("compact", "--session", "s-9", *FINN)
    assert refused.status == 3
    assert "s-1" in refused.err


@pytest.mark.usefixtures("long")
def test_a_model_words_the_summary_or_the_rules_do(
    lamina: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = "Each falcon was counted, up to falcon 4."
    lamina("config", "set", "compaction.summary", "model")
    with serving(saying(whole(told)), closing) as service:
        monkeypatch.setenv("LAMINA_MODEL_URL", f"{service.url}/v1")
        # A server without the name of a model: the rules stand in, and say so.
        unnamed = lamina("compact", "--session", "s-1", "--force", "--dry-run", *FINN)
        assert (unnamed.status, "messages from" in unnamed.out) == (0, True)
        monkeypatch.setenv("LAMINA_MODEL_NAME", "tiny")
        [done] = lamina("compact", "--session", "s-1", "--force", "--json", *FINN).json["compacted"]
        assert (done["summary"], done["replaced"]) == (told, 5)
        assert lamina("recall", "falcon 3", "--layer", "archive", "-q", *FINN).out
        assert lamina("undo", done["tx"], *FINN).status == 0
        service.behaviours[:] = [failing(400)]
        [done] = lamina("compact", "--session", "s-1", "--force", "--json", *FINN).json["compacted"]
        assert "messages from" in done["summary"]


@pytest.mark.usefixtures("long")
def test_where_there_is_nothing_it_says_where_to_look(lamina: Call) -> None:
    told = lamina("compact", "--force", "--project", "web")
    assert "nothing to compact in project/web" in told.err
    assert "--as NAME" in told.err
    assert "--force" not in told.err
