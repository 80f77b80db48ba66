"""`lamina reindex`, changing the embedder, and what `lamina doctor` says about vectors."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina as package
from lamina.exchange import export_lines
from lamina.testing import FakeEmbedder, Fault, FaultyEmbedder
from tests.embedders.servers import Service, failing, garbage, ollama, serving
from tests.surfaces.shell import Answer, Call, on_terminal

TEXTS = ("Deploys go out on Thursdays", "Ann drinks green tea", "The heron nests by the river")


@pytest.fixture
def told(lamina: Call) -> list[str]:
    """The ids of some memories, none of which has a vector yet."""
    return [lamina("remember", text, "-q").out.strip() for text in TEXTS]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """An Ollama that this process knows of."""
    with serving(ollama) as found:
        monkeypatch.setenv("LAMINA_OLLAMA_URL", found.url)
        yield found


def embedding(answer: Answer) -> tuple[str, str, str]:
    """What doctor says about vectors: how bad it is, what it is, what to do."""
    [found] = [one for one in answer.json["findings"] if one["check"] == "embedding"]
    return found["severity"], found["message"], found["remedy"]


@pytest.mark.usefixtures("told")
def test_indexing_anew_makes_what_is_missing_and_says_so(lamina: Call) -> None:
    done = lamina("reindex")
    assert done.status == 0
    rows = dict(row.split("\t") for row in done.out.splitlines())
    assert rows["records indexed"] == rows["vectors made"] == "3"
    assert rows["vectors pending"] == rows["texts refused"] == "0"
    assert rows["embedder"] == "lamina"
    again = lamina("reindex", "--json").json
    assert again["records"] == again["vectors"]["made"] == 3
    assert again["vectors"]["space"] == rows["vectors in use"]
    assert again["vectors"]["next_space"] is None
    assert lamina("reindex", "--quiet").out == ""


@pytest.mark.usefixtures("told")
def test_another_embedder_takes_over(lamina: Call, service: Service) -> None:
    before = lamina("reindex", "--json").json["vectors"]["space"]
    done = lamina("reindex", "--embedder", "ollama:all-minilm", "--json").json["vectors"]
    assert (done["embedder"], done["made"], done["pending"]) == ("ollama:all-minilm", 3, 0)
    assert done["space"] != before
    assert done["usable"]
    embedded = [text for batch in service.texts for text in batch]
    assert sorted(text for text in embedded if text in TEXTS) == sorted(TEXTS)
    assert lamina("config", "get", "recall.embedder").out == "ollama:all-minilm\n"


@pytest.mark.usefixtures("told")
def test_without_an_embedder_words_are_indexed_alone(lamina: Call) -> None:
    done = lamina("reindex", "--embedder", "off")
    assert done.out == "records indexed\t3\nembedder\toff\n"
    assert embedding(lamina("doctor", "--json"))[:2] == ("ok", "off; recall goes by words alone")


@pytest.mark.parametrize(
    ("spec", "status", "words"),
    [
        ("beauty", 2, "Use one of: lamina"),
        ("", 2, "Use one of: lamina"),
        ("ollama:two words", 2, "ollama:MODEL"),
        ("openai", 2, "openai:MODEL"),
        ("a\udcff", 2, "Use one of: lamina"),
    ],
)
@pytest.mark.usefixtures("told")
def test_what_is_no_embedder_is_refused(spec: str, status: int, words: str, lamina: Call) -> None:
    refused = lamina("reindex", "--embedder", spec)
    assert (refused.status, refused.out) == (status, "")
    assert words in refused.err
    assert lamina("config", "get", "recall.embedder").out == "lamina\n"


@pytest.mark.parametrize(
    ("behaviour", "status"), [(failing(503), 75), (failing(404), 10), (garbage, 10)]
)
@pytest.mark.usefixtures("told")
def test_a_service_that_does_not_answer_changes_nothing(
    behaviour: object, status: int, lamina: Call, service: Service
) -> None:
    lamina("reindex")
    service.behaviours[:] = [behaviour]  # type: ignore[list-item]
    refused = lamina("reindex", "--embedder", "ollama:other", "--json")
    assert refused.status == status
    assert lamina("config", "get", "recall.embedder").out == "lamina\n"
    assert embedding(lamina("doctor", "--json"))[0] == "ok"


@pytest.mark.usefixtures("told", "service")
def test_the_setting_alone_leaves_the_work_to_reindex(lamina: Call) -> None:
    lamina("reindex")
    changed = lamina("config", "set", "recall.embedder", "ollama:all-minilm")
    assert (changed.status, changed.out) == (0, "ollama:all-minilm\n")
    assert "`lamina reindex`" in changed.err
    lamina("reindex")
    assert lamina("config", "set", "recall.embedder", "ollama:all-minilm").err == ""
    refused = lamina("config", "set", "recall.embedder", "minilm:x")
    assert (refused.status, refused.out) == (2, "")


def test_an_agent_indexes_nothing(lamina: Call, told: list[str]) -> None:
    finn = ("--as", "finn", "--project", "web")
    assert lamina(*finn, "reindex").status == 4
    assert lamina(*finn, "reindex", "--embedder", "off").status == 4
    assert lamina("config", "get", "recall.embedder").out == "lamina\n"
    assert len(told) == 3


def test_long_work_shows_a_bar(store: Path, lamina: Call) -> None:
    lamina("remember", "Ann drinks tea")
    shown = on_terminal("--dir", str(store), "reindex", cwd=store.parent)
    assert (shown.status, "Indexing" in shown.out) == (0, True)


@pytest.mark.usefixtures("told")
def test_doctor_says_how_far_the_vectors_are(lamina: Call) -> None:
    severity, told, remedy = embedding(lamina("doctor", "--json"))
    assert (severity, told) == ("ok", "lamina: 0 made, 3 pending")
    assert "`lamina reindex`" in remedy
    lamina("reindex")
    assert embedding(lamina("doctor", "--json")) == ("ok", "lamina: 3 made, 0 pending", "")


@pytest.mark.usefixtures("told")
def test_doctor_names_a_change_that_is_under_way(
    lamina: Call, store: Path, service: Service
) -> None:
    lamina("reindex")
    with package.open(store) as mem:
        before = mem.vectors().space
        service.behaviours[:] = [failing(503)]
        mem.configure("recall.embedder", "ollama:all-minilm")
    # It is asked for a sign of life.
    _, message, remedy = embedding(lamina("doctor", "--json"))
    assert "Ollama is busy" in message
    assert "See to the embedder" in remedy
    service.behaviours[:] = [ollama]
    looked = lamina("doctor", "--json")
    severity, message, remedy = embedding(looked)
    assert (looked.status, looked.json["ok"], severity) == (0, True, "note")
    assert f"it is to take over from {before}" in message
    assert "`lamina reindex`" in remedy


def test_what_is_in_the_way_of_vectors_is_a_note_and_no_damage(store: Path) -> None:
    fragile = FaultyEmbedder(FakeEmbedder(), refuses="heron")
    with package.open(store, embedder=fragile) as mem:
        for text in TEXTS:
            mem.remember(text)
        done = mem.reindex()
        assert (done.vectors.made, done.vectors.refused) == (2, 1)
        [found] = [one for one in mem.check() if one.check == "embedding"]
        assert (found.severity.value, found.severity.is_damage) == ("note", False)
        assert "texts that it could not take: 1" in found.message
        assert "the embedder refuses" in found.message
    with package.open(store, embedder=FaultyEmbedder(FakeEmbedder(), Fault.DOWN)) as mem:
        mem.remember("one more")
        with pytest.raises(package.LaminaError, match="down"):
            mem.reindex()
    with package.open(store) as mem:
        [found] = [one for one in mem.check() if one.check == "embedding"]
        assert "the vectors in use are those of fake|64" in found.message
        assert "lamina reindex" in found.remedy


def test_what_was_imported_has_its_vectors(lamina: Call, tmp_path: Path) -> None:
    with package.open(":memory:") as elsewhere:
        elsewhere.remember_many([{"text": f"heron number {n}"} for n in range(40)])
        (tmp_path / "lines.jsonl").write_text("\n".join(export_lines(elsewhere)) + "\n")
    assert lamina("import", str(tmp_path / "lines.jsonl")).status == 0
    assert embedding(lamina("doctor", "--json"))[1] == "lamina: 40 made, 0 pending"
    assert lamina("recall", "herons").err == ""
