"""Services that fail in every way there is: told apart, bounded, and silent about keys."""

import socket
import threading
from collections.abc import Callable

import pytest

from lamina.config import EmbeddingServices, Origin
from lamina.embedders.ollama import open_ollama
from lamina.embedders.openai_http import open_openai
from lamina.embedders.protocol import Role
from lamina.embedders.registry import open_embedder
from lamina.embedders.separating import embed_each
from lamina.errors import EmbedderError, EmbedderUnavailableError, InvalidInputError, LaminaError
from tests.embedders import servers
from tests.embedders.servers import KEY, Behaviour, Exchange, Service, opened, over_both, serving


@over_both
@pytest.mark.parametrize("status", [500, 502, 504, 408])
def test_a_broken_service_is_unavailable(spec: str, behaviour: Behaviour, status: int) -> None:
    with serving(servers.failing(status, {"error": "boom"}), behaviour) as service:
        embedder = opened(spec, service)
        with pytest.raises(EmbedderUnavailableError, match=f"{status}: boom"):
            embedder.embed(["one"], Role.DOCUMENT)
        assert embedder.embed(["one"], Role.DOCUMENT).shape == (1, servers.DIMENSIONS)


@over_both
@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_service_is_asked_again_for_documents_alone(
    spec: str, behaviour: Behaviour, status: int
) -> None:
    busy = servers.failing(status, Retry_After="0")
    with serving(busy, busy, behaviour) as service:
        assert len(opened(spec, service).embed(["one"], Role.DOCUMENT)) == 1
        assert len(service.asked) == 3
    with serving(busy) as service:
        embedder = opened(spec, service)
        with pytest.raises(EmbedderUnavailableError, match="busy"):
            embedder.embed(["one"], Role.DOCUMENT)
        assert len(service.asked) == 3
        with pytest.raises(EmbedderUnavailableError, match="busy"):
            embedder.embed(["one"], Role.QUERY)
        assert len(service.asked) == 4


@over_both
@pytest.mark.parametrize("fault", [servers.closing, servers.stopping_halfway])
def test_a_connection_that_ends_early_is_unavailable(
    spec: str, behaviour: Behaviour, fault: Behaviour
) -> None:
    with serving(fault) as service, pytest.raises(EmbedderUnavailableError, match="reached"):
        opened(spec, service).embed(["one"], Role.DOCUMENT)


def test_nobody_there_is_unavailable() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        nowhere = Service(url=f"http://127.0.0.1:{held.getsockname()[1]}")
        with pytest.raises(EmbedderUnavailableError, match="cannot be reached") as caught:
            opened("ollama:plain", nowhere).embed(["one"], Role.QUERY)
    assert nowhere.url in str(caught.value)


def _silent(done: threading.Event) -> Behaviour:
    def answer(exchange: Exchange) -> None:
        done.wait(30)
        exchange.close_connection = True

    return answer


def _dripping(done: threading.Event) -> Behaviour:
    """Never a pause as long as the timeout, and never an end."""

    def answer(exchange: Exchange) -> None:
        exchange.send_response(200)
        exchange.send_header("Content-Length", "100000")
        exchange.end_headers()
        while not done.wait(0.02):
            try:
                exchange.wfile.write(b" ")
            except OSError:
                return

    return answer


@pytest.mark.parametrize("slow", [_silent, _dripping])
def test_a_slow_service_is_given_up(slow: Callable[[threading.Event], Behaviour]) -> None:
    done = threading.Event()
    with serving(slow(done)) as service:
        try:
            with pytest.raises(EmbedderUnavailableError, match=r"within 0\.3 seconds"):
                opened("ollama:plain", service, seconds=0.3).embed(["one"], Role.DOCUMENT)
        finally:
            done.set()


@pytest.mark.parametrize(
    "told",
    [
        {}, [], None, 7, "text",
        {"embeddings": None}, {"embeddings": [[1.0, 2.0]]}, {"embeddings": [[1.0], [1.0, 2.0]]},
        {"embeddings": [["a"], ["b"]]}, {"embeddings": [[], []]}, {"embeddings": {"0": [1.0]}},
        {"embeddings": [1.0, 2.0]},
        {"embeddings": [[[1.0]], [[2.0]]]}, {"embeddings": [[10**400], [1]]},
    ],
)  # fmt: skip
def test_an_answer_of_another_shape_is_refused_by_ollama(told: object) -> None:
    _refused("ollama:plain", told)


@pytest.mark.parametrize(
    "told",
    [
        {}, [], None, {"data": None}, {"data": [[1.0], [2.0]]},
        {"data": [{"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 5, "embedding": [1.0]}]},
        {"data": [{"embedding": [1.0]}, {"embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": "AACAPw=="}, {"index": 1, "embedding": "AACAPw=="}]},
    ],
)  # fmt: skip
def test_an_answer_of_another_shape_is_refused_by_openai(told: object) -> None:
    _refused("openai:plain", told)


def _refused(spec: str, told: object) -> None:
    with (
        serving(servers.saying(told)) as service,
        pytest.raises(EmbedderError, match="2 vectors of one length") as caught,
    ):
        opened(spec, service).embed(["one", "two"], Role.DOCUMENT)
    assert not caught.value.retryable


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e300])
def test_numbers_that_are_none_are_refused(number: float) -> None:
    with (
        serving(servers.saying({"embeddings": [[1.0, number]]})) as service,
        pytest.raises(EmbedderError, match="not made of numbers"),
    ):
        opened("ollama:plain", service).embed(["one"], Role.DOCUMENT)


def test_a_dimension_that_changes_is_refused() -> None:
    wide = servers.saying({"embeddings": [[1.0] * 9]})
    with serving(servers.ollama, wide) as service:
        embedder = opened("ollama:plain", service)
        embedder.embed(["one"], Role.DOCUMENT)
        with pytest.raises(EmbedderError, match="9 dimensions after 8"):
            embedder.embed(["one"], Role.DOCUMENT)


@over_both
def test_what_is_not_json_is_refused(spec: str, behaviour: Behaviour) -> None:
    with (
        serving(servers.garbage) as service,
        pytest.raises(EmbedderError, match="JSON") as caught,
    ):
        opened(spec, service).embed(["one"], Role.DOCUMENT)
    assert "hotel" not in str(caught.value)


def test_json_that_is_nested_without_end_is_refused() -> None:
    with (
        serving(lambda exchange: exchange.send(b"[" * 200_000)) as service,
        pytest.raises(EmbedderError, match="JSON"),
    ):
        opened("ollama:plain", service).embed(["one"], Role.DOCUMENT)


def test_an_endless_answer_is_cut_off() -> None:
    def flood(exchange: Exchange) -> None:
        exchange.send_response(200)
        exchange.end_headers()
        exchange.close_connection = True
        try:
            while True:
                exchange.wfile.write(b" " * (1 << 20))
        except OSError:
            return

    with serving(flood) as service, pytest.raises(EmbedderError, match="more than 64 MiB"):
        opened("ollama:plain", service, seconds=50.0).embed(["one"], Role.DOCUMENT)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_texts_do_not_follow_a_redirect(status: int) -> None:
    with serving(servers.ollama) as elsewhere:
        moved = servers.failing(status, Location=f"{elsewhere.url}/api/embed")
        with serving(moved) as service, pytest.raises(EmbedderError, match=str(status)):
            opened("ollama:plain", service).embed(["one"], Role.DOCUMENT)
        assert elsewhere.asked == []


def test_a_proxy_is_not_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(servers.ollama) as service, serving(servers.failing(500)) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        opened("ollama:plain", service).embed(["one"], Role.DOCUMENT)
        assert proxy.asked == []


@pytest.mark.parametrize(
    ("spec", "status", "remedy"),
    [
        ("ollama:plain", 404, "`ollama pull plain`"),
        ("openai:plain", 401, "LAMINA_OPENAI_KEY"),
        ("openai:plain", 403, "LAMINA_OPENAI_KEY"),
        ("openai:plain", 404, "`plain`"),
    ],
)
def test_a_refusal_says_what_to_do(spec: str, status: int, remedy: str) -> None:
    with (
        serving(servers.failing(status, {"error": {"message": "no"}})) as service,
        pytest.raises(EmbedderError, match=f"{status}: no") as caught,
    ):
        opened(spec, service).embed(["one"], Role.DOCUMENT)
    assert remedy in caught.value.remedy
    assert not caught.value.retryable


def _everything_said(error: BaseException) -> str:
    said = []
    seen: BaseException | None = error
    while seen is not None:
        said += [repr(seen), str(seen), repr(getattr(seen, "__dict__", ""))]
        seen = seen.__cause__ or seen.__context__
    return " ".join(said)


@pytest.mark.parametrize(
    "fault",
    [
        servers.failing(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}),
        servers.failing(500, {"error": f"header was Bearer {KEY}"}),
        servers.failing(429, Retry_After="0"),
        servers.garbage,
        servers.closing,
        servers.saying({"data": KEY}),
    ],
)
def test_the_key_is_in_no_error(fault: Behaviour) -> None:
    with serving(fault) as service:
        embedder = opened("openai:plain", service)
        with pytest.raises(EmbedderError) as caught:
            embedder.embed(["one"], Role.DOCUMENT)
    assert KEY not in _everything_said(caught.value)


def test_the_key_is_in_no_description() -> None:
    configured = EmbeddingServices(openai_key=KEY)
    embedder = open_openai("plain", configured)
    for shown in (configured, embedder, embedder._endpoint, open_embedder("openai:x", configured)):
        assert KEY not in repr(shown)
    assert KEY not in embedder.fingerprint


@pytest.mark.parametrize("key", [f"{KEY}\r\nHost: elsewhere", f"{KEY}é", f"{KEY}\x00"])
def test_a_key_that_cannot_be_sent_is_refused_unseen(key: str) -> None:
    with pytest.raises(InvalidInputError, match="cannot be sent") as caught:
        open_openai("plain", EmbeddingServices(openai_key=key))
    assert KEY not in _everything_said(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "", "nonsense", "ftp://host/", "file:///etc/passwd", "http://", "http://user:pw@host/v1",
        "http://host/v1?x=1", "http://host/#a", "http://host:99999/", "http://[::1/", "http://h\n/",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_by_its_variable(url: str) -> None:
    place = Origin(url, "LAMINA_OPENAI_URL")
    with pytest.raises(InvalidInputError, match="`LAMINA_OPENAI_URL`") as caught:
        open_openai("plain", EmbeddingServices(openai=place))
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("[::]:8080", "http://127.0.0.1:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("gpu.example", "http://gpu.example:11434"),
        ("gpu.example:80/ollama/", "http://gpu.example:80/ollama"),
        ("https://gpu.example", "https://gpu.example"),
        ("http://127.0.0.1:11434/", "http://127.0.0.1:11434"),
    ],
)
def test_everything_that_names_a_server_of_ollama_is_understood(host: str, url: str) -> None:
    embedder = open_ollama("plain", EmbeddingServices(ollama=Origin(host, "OLLAMA_HOST")))
    assert embedder._endpoint.url == url


def test_a_text_that_breaks_the_service_is_told_from_a_service_that_is_broken() -> None:
    def fragile(exchange: Exchange) -> None:
        if any("cursed" in text for text in exchange.asked.body["input"]):
            exchange.say({"error": "unsupported value: NaN"}, 500)
        else:
            servers.ollama(exchange)

    texts = [f"text {number}" for number in range(20)]
    texts[7] = "a cursed text"
    with serving(fragile) as service:
        found = embed_each(opened("ollama:plain", service), texts, Role.DOCUMENT)
    assert list(found.refused) == [7]
    assert "NaN" in str(found.refused[7])
    assert sorted(found.vectors) == [place for place in range(20) if place != 7]
    with serving(servers.failing(500)) as service, pytest.raises(EmbedderUnavailableError):
        embed_each(opened("ollama:plain", service), texts, Role.DOCUMENT)


def test_every_error_belongs_to_the_tree() -> None:
    assert issubclass(EmbedderUnavailableError, EmbedderError)
    assert issubclass(EmbedderError, LaminaError)
    assert (EmbedderError.code, EmbedderUnavailableError.code) == (
        "embedder",
        "embedder_unavailable",
    )
