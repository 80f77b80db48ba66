"""A chat model over HTTP: asked well, answered badly in every way, and silent about its key."""

import json
import socket
from typing import Any

import pytest

from lamina.core.chat import Message, Reply, ToolCall
from lamina.errors import InvalidInputError, ModelError, ModelUnavailableError
from lamina.models.http import ChatModel
from tests.embedders import servers
from tests.embedders.servers import KEY, Behaviour, Exchange, Service, serving
from tests.models.servers import (
    USAGE,
    hanging,
    model_at,
    piece,
    resetting,
    streaming,
    trickling,
    whole,
)

HELLO: list[Message] = [{"role": "user", "content": "Say hello"}]
SEARCH = {"name": "search", "description": "Finds", "parameters": {"type": "object"}}
CALLS = [
    {"id": "a", "type": "function", "function": {"name": "search", "arguments": '{"q": "tea"}'}},
    {"id": "b", "type": "function", "function": {"name": "search", "arguments": '{"q": '}},
    {"id": "c", "type": "function", "function": {"name": "search", "arguments": "[1]"}},
    {"type": "function", "function": {"name": "stop", "arguments": {}}},
    {"id": "a", "type": "function", "function": {"name": "stop", "arguments": "{}"}},
    {"id": "f", "type": "function", "function": {"arguments": "{}"}},
]
CALLED = (
    ToolCall("a", "search", {"q": "tea"}),
    ToolCall("b", "search", wrong="the arguments are not JSON"),
    ToolCall("c", "search", wrong="the arguments are not a JSON object"),
    ToolCall("call-3", "stop", {}),
    ToolCall("call-4", "stop", {}),
    ToolCall("f", "", wrong="no tool is named"),
)
NO_ANSWERS: list[Any] = [
    [], None, 7, {}, {"choices": None}, {"choices": []}, {"choices": [7]},
    {"choices": [{"message": []}]}, whole({"content": ["a"]}), whole({"tool_calls": [7]}),
    whole({"tool_calls": [{"index": n, "function": {}} for n in range(65)]}),
]  # fmt: skip


def _ask(*behaviours: Behaviour, **how: Any) -> tuple[Reply, Service]:
    with serving(*behaviours) as service:
        return model_at(service).chat(HELLO, **how), service


def test_a_question_is_put_as_servers_know_it_and_the_answer_read() -> None:
    talk: list[Message] = [
        {"role": "system", "content": "Be brief"},
        {"role": "assistant", "content": "",
         "tool_calls": [{"id": "a", "name": "search", "arguments": {"q": "tea"}}]},
        {"role": "tool", "content": "green", "tool_call_id": "a"},
    ]  # fmt: skip
    with serving(servers.saying(whole("Hello", usage=USAGE))) as service:
        reply = model_at(service).chat(talk, tools=[SEARCH], max_tokens=9)
    assert reply == Reply("Hello", (), 11, 7)
    [asked] = service.asked
    assert (asked.path, asked.headers["Authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    called = {"id": "a", "type": "function",
              "function": {"name": "search", "arguments": '{"q": "tea"}'}}  # fmt: skip
    assert asked.body == {
        "model": "tiny", "max_tokens": 9, "tools": [{"type": "function", "function": SEARCH}],
        "messages": [
            {"role": "system", "content": "Be brief"},
            {"role": "assistant", "content": "", "tool_calls": [called]},
            {"role": "tool", "content": "green", "tool_call_id": "a"},
        ],
    }  # fmt: skip


def test_tool_calls_are_read_and_what_cannot_be_is_told() -> None:
    said = {"role": "assistant", "content": None, "tool_calls": CALLS}
    reply, _ = _ask(servers.saying(whole(said, "tool_calls")), tools=[SEARCH])
    assert reply.tool_calls == CALLED
    assert (reply.text, reply.is_whole) == ("", True)
    # Nobody said what it cost, so that it is estimated.
    assert reply.tokens_in > 0
    assert reply.tokens_out > 0


def test_tool_calls_come_in_pieces() -> None:
    def call(index: int, arguments: str, **more: str) -> dict[str, Any]:
        function = {"arguments": arguments, **({"name": "search"} if more else {})}
        return piece({"tool_calls": [{"index": index, "function": function, **more}]})

    pieces = [
        piece({"role": "assistant", "content": None}), call(0, "", id="a"), call(0, '{"q": '),
        call(1, '{"q"', id="b"), call(0, '"tea"}'), piece({}, "tool_calls"),
    ]  # fmt: skip
    heard: list[str] = []
    reply, service = _ask(streaming(pieces), on_text=heard.append)
    assert reply.tool_calls == (CALLED[0], CALLED[1])
    assert heard == []
    assert service.asked[0].body["stream"] is True


def test_a_streamed_text_is_handed_on_as_it_comes_and_counted_by_the_server() -> None:
    pieces = [piece({"content": "Hel"}), piece({"content": "lo"}), piece({}, "length"),
              {"choices": [], "usage": USAGE}]  # fmt: skip
    heard: list[str] = []
    reply, _ = _ask(streaming(pieces), on_text=heard.append)
    assert heard == ["Hel", "lo"]
    assert reply == Reply("Hello", (), 11, 7, is_whole=False)


def test_a_server_that_does_not_stream_is_understood() -> None:
    heard: list[str] = []
    reply, _ = _ask(servers.saying(whole("Hello")), on_text=heard.append)
    assert (reply.text, heard) == ("Hello", ["Hello"])


@pytest.mark.parametrize(
    ("busy", "tries"),
    [
        ([servers.failing(429, Retry_After="0")], 2),
        ([servers.failing(429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT")], 2),
        ([servers.failing(429, Retry_After="-7")], 2),
        ([servers.failing(500, {"error": "boom"})] * 2, 3),
        ([resetting, servers.closing], 3),
    ],
)
def test_what_passes_is_asked_again(busy: list[Behaviour], tries: int) -> None:
    reply, service = _ask(*busy, servers.saying(whole("Hello")))
    assert (reply.text, len(service.asked)) == ("Hello", tries)


@pytest.mark.parametrize("limit", ["max_tokens", "stream_options"])
def test_a_server_that_lacks_a_word_is_asked_in_others(limit: str) -> None:
    told = {"max_tokens": "Use 'max_completion_tokens' instead", "stream_options": f"no {limit}"}
    refusal = servers.failing(400, {"error": {"message": told[limit]}})
    answer = streaming([piece({"content": "Hello"}, "stop")])
    reply, service = _ask(refusal, answer, on_text=lambda text: None, max_tokens=5)
    assert reply.text == "Hello"
    assert limit not in service.asked[1].body
    assert 5 in service.asked[1].body.values()


def _flood(exchange: Exchange) -> None:
    exchange.say(whole("x" * 3_000_000))


@pytest.mark.parametrize(
    ("behaviour", "stream", "error", "said", "tries"),
    [
        (servers.failing(503), False, ModelUnavailableError, "is busy", 3),
        (servers.failing(502), True, ModelUnavailableError, "status 502", 3),
        (servers.closing, False, ModelUnavailableError, "cannot be reached", 3),
        (servers.failing(429, Retry_After="1000000000"), False, ModelUnavailableError, "busy", 1),
        (servers.failing(429, Retry_After="Wed, 21 Oct 2099 07:28:00 GMT"), False,
         ModelUnavailableError, "busy", 1),
        (servers.stopping_halfway, False, ModelUnavailableError, "cannot be reached", 1),
        (hanging, False, ModelUnavailableError, "within 0.2 seconds", 1),
        (hanging, True, ModelUnavailableError, "within 0.2 seconds", 1),
        (streaming([piece({"content": "Hel"})], end=""), True, ModelUnavailableError, "middle", 1),
        (servers.failing(401, {"error": {"message": f"bad key {KEY}"}}), False, ModelError,
         r"401: bad key \[key\]", 1),
        (servers.failing(400, {"error": f"no: {KEY[:12]}*** {KEY[9:]}"}), False, ModelError,
         r"400: no: \[key\] \[key\]", 1),
        (servers.failing(404), False, ModelError, "does its address end in /v1", 1),
        (servers.garbage, False, ModelError, "not answer in JSON", 1),
        (streaming(["data: {oops\n\n"]), True, ModelError, "cannot be read", 1),
        (streaming([{"error": {"message": f"overloaded {KEY}"}}]), True, ModelError,
         r"overloaded \[key\]", 1),
        (_flood, False, ModelError, "more than 2 MiB", 1),
        (streaming([piece({"content": "x" * 1000})] * 3000), True, ModelError, "than 2 MiB", 1),
        *((servers.saying(told), False, ModelError, "cannot be read", 1) for told in NO_ANSWERS),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_one_clear_error(
    behaviour: Behaviour, stream: bool, error: type[ModelError], said: str, tries: int
) -> None:
    heard: list[str] = []
    with serving(behaviour) as service:
        seconds = 0.2 if behaviour is hanging else 5.0
        with pytest.raises(error, match=said) as caught:
            model_at(service, seconds=seconds).chat(HELLO, on_text=heard.append if stream else None)
        assert len(service.asked) == tries
    assert caught.value.retryable == (error is ModelUnavailableError)
    assert KEY not in f"{caught.value} {caught.value.__context__}"


@pytest.mark.parametrize(
    ("head", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\nX-Long: ", b"x"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", b"X: y\r\n"),
    ],
)
def test_an_answer_in_drops_is_not_waited_for_beyond_its_time(head: bytes, drop: bytes) -> None:
    with serving(trickling(head, drop)) as service:
        with pytest.raises(ModelUnavailableError, match=r"within 0\.2 seconds"):
            model_at(service, seconds=0.2, retries=0).chat(HELLO)
        assert len(service.asked) == 1


def test_what_no_record_can_hold_is_left_out_and_split_characters_come_together() -> None:
    odd = 'data: {"choices":[{"delta":{"content":"a\\u0000b\\ud800c"}}]}\n\n'
    split = f"data: {json.dumps(piece({'content': 'hü😀'}, 'stop'), ensure_ascii=False)}\n\n"
    heard: list[str] = []

    def in_single_bytes(exchange: Exchange) -> None:
        exchange.send_response(200)
        exchange.send_header("Transfer-Encoding", "chunked")
        exchange.end_headers()
        for byte in (odd + split).encode():
            exchange.wfile.write(b"1\r\n%c\r\n" % byte)
        exchange.wfile.write(b"0\r\n\r\n")

    reply, _ = _ask(in_single_bytes, on_text=heard.append)
    assert heard == ["ab?c", "hü😀"]
    assert reply.text == "ab?chü😀"


@pytest.mark.parametrize("told", [-5, 0, 10**18, "many", None, 1.5, True])
def test_what_a_server_cannot_have_counted_is_estimated(told: Any) -> None:
    usage = {"prompt_tokens": told, "completion_tokens": told}
    reply, _ = _ask(servers.saying(whole("Hello", usage=usage)))
    assert 1 < reply.tokens_in < 100
    assert 0 < reply.tokens_out < 100


def test_nobody_there_costs_nothing_but_half_an_answer_does() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        nowhere = Service(url=f"http://127.0.0.1:{held.getsockname()[1]}")
        with pytest.raises(ModelUnavailableError, match="cannot be reached") as caught:
            model_at(nowhere).chat(HELLO)
    assert caught.value.tokens == 0
    half = streaming([piece({"content": "Hel"})], end="")
    with serving(half) as service, pytest.raises(ModelUnavailableError) as caught:
        model_at(service).chat(HELLO, on_text=lambda text: None)
    assert caught.value.tokens > 0


def test_a_question_does_not_follow_a_redirect() -> None:
    with serving(servers.saying(whole("Hello"))) as elsewhere:
        moved = servers.failing(307, Location=f"{elsewhere.url}/v1/chat/completions")
        with serving(moved) as service, pytest.raises(ModelError, match="307"):
            model_at(service).chat(HELLO)
        assert elsewhere.asked == []


def test_the_key_is_shown_nowhere_and_a_wrong_call_says_what_is_wrong() -> None:
    model = ChatModel("https://models.example/v1/", "big", key=KEY)
    assert repr(model) == "ChatModel('https://models.example/v1', 'big')"
    assert KEY not in f"{model!r} {model._service!r}"
    for url in ("", "models.example", "ftp://x", "http://ann:pw@x/v1", "http://x/v1?key=1",
                "http://models.example%2F.localhost/v1"):  # fmt: skip
        with pytest.raises(InvalidInputError, match="`url`") as caught:
            ChatModel(url, "big")
        assert "pw" not in str(caught.value)
    with pytest.raises(InvalidInputError, match="`name`"):
        ChatModel("http://x", " ")
    with pytest.raises(InvalidInputError, match="`seconds`"):
        ChatModel("http://x", "big", seconds=0)
    with pytest.raises(InvalidInputError, match="cannot be sent"):
        ChatModel("http://x", "big", key="a\nb")
