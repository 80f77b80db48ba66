"""The budget of models: a hard stop, shared by who works on a project, and kept when it fails."""

import threading
from datetime import timedelta
from pathlib import Path

import pytest

import lamina
from lamina import clock, models
from lamina.core.chat import Message, Reply
from lamina.errors import BudgetError, ForbiddenError, InvalidInputError, ModelError
from lamina.memory import Memory
from lamina.models.governor import DayBook, Governed
from lamina.testing import ScriptedModel
from tests.embedders import servers
from tests.embedders.servers import KEY, serving
from tests.models.servers import USAGE, whole
from tests.places import STORES, where

HELLO: list[Message] = [{"role": "user", "content": "Say hello"}]
ANSWER = Reply("Hello", tokens_in=30, tokens_out=20)


@pytest.mark.parametrize("place", STORES)
def test_a_day_is_shared_by_everybody_in_a_project(place: str, tmp_path: Path) -> None:
    with lamina.open(where(place, tmp_path / "store")) as mem:
        finn, maya = (mem.agent(name, project="web") for name in ("finn", "maya"))
        script = ScriptedModel([ANSWER] * 9)
        for agent in (finn, maya, finn):
            Governed(script, DayBook(agent), day=200).chat(HELLO, max_tokens=20)
        assert DayBook(maya).spent() == DayBook(mem.project("web")).spent() == 150
        with pytest.raises(BudgetError, match="`model.tokens_per_day` allows 200 tokens, 150 are"):
            Governed(script, DayBook(maya), day=200).chat(HELLO, max_tokens=45)
        assert len(script.asked) == 3
        # Another project has its own, and so has another day.
        assert DayBook(mem.project("shop")).spent() == DayBook(mem).spent() == 0
        [kept] = finn.query({"layer": "blackboard", "kind": "budget"})
        assert kept.expires_at is not None


def test_those_who_spend_at_once_never_go_over_together(tmp_path: Path) -> None:
    refused = []

    def spend() -> None:
        with lamina.open(tmp_path, project="web") as mem:
            governed = Governed(ScriptedModel([ANSWER] * 6), DayBook(mem), day=500)
            for _ in range(6):
                try:
                    governed.chat(HELLO, max_tokens=60)
                except BudgetError:
                    refused.append(1)

    threads = [threading.Thread(target=spend) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with lamina.open(tmp_path, project="web") as mem:
        spent = DayBook(mem).spent()
    assert spent == (18 - len(refused)) * 50
    # What others had set aside in that moment may have kept the last one or two from asking.
    assert 400 <= spent <= 500


def test_a_piece_of_work_has_its_own_bound(mem: Memory) -> None:
    model = Governed(ScriptedModel([ANSWER] * 9), DayBook(mem), job=120)
    model.chat(HELLO)
    model.chat(HELLO)
    assert model.used == 100
    with pytest.raises(BudgetError, match="`model.tokens_per_job`"):
        model.chat(HELLO)
    assert (model.used, DayBook(mem).spent()) == (100, 100)
    Governed(model.model, DayBook(mem), job=120).chat(HELLO)
    assert DayBook(mem).spent() == 150


def test_nobody_is_let_say_more_than_is_left(mem: Memory) -> None:
    told: list[int | None] = []

    class Noting(ScriptedModel):
        def chat(self, messages, **how):  # type: ignore[no-untyped-def]  # as above
            told.append(how["max_tokens"])
            return super().chat(messages, **how)

    script = Noting([ANSWER] * 3)
    Governed(script, DayBook(mem), day=100).chat(HELLO)
    Governed(script, DayBook(mem)).chat(HELLO)
    Governed(script, DayBook(mem), day=10**6).chat(HELLO)
    assert told[0] is not None
    assert told[0] < 100
    assert told[1:] == [None, 8192]


@pytest.mark.parametrize(
    ("failure", "cost"),
    [(ModelError("no", tokens=70), 70), (ModelError("down"), 0), (RuntimeError("killed"), None)],
)
def test_what_failed_is_counted_too(mem: Memory, failure: Exception, cost: int | None) -> None:
    model = Governed(ScriptedModel([failure]), DayBook(mem), day=1000)
    with pytest.raises(type(failure)):
        model.chat(HELLO, max_tokens=100)
    # What it cost is not known: what was set aside is gone.
    assert DayBook(mem).spent() == model.used
    assert model.used == cost if cost is not None else model.used > 100


def test_a_new_day_has_new_tokens(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Governed(ScriptedModel([ANSWER] * 2), DayBook(mem), day=100)
    model.chat(HELLO, max_tokens=20)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now.replace(year=now.year + 1))
    assert model.book.spent() == 0
    model.chat(HELLO, max_tokens=20)


def test_what_was_set_aside_before_midnight_does_not_come_back_to_the_next_day(
    mem: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    midnight = clock.now().replace(hour=0, minute=0, second=0) + timedelta(days=1)
    before, after = midnight - timedelta(minutes=1), midnight + timedelta(minutes=1)
    monkeypatch.setattr(clock, "now", lambda: before)

    def over_midnight(_: object) -> Reply:
        monkeypatch.setattr(clock, "now", lambda: after)
        Governed(ScriptedModel([ANSWER]), DayBook(mem)).chat(HELLO)
        return ANSWER

    Governed(ScriptedModel([over_midnight]), DayBook(mem), day=10_000).chat(HELLO)
    assert DayBook(mem).spent() == 50
    counted = {one.data["day"]: one.data["spent"] for one in mem.query({"kind": "budget"})}
    assert counted == {f"{before:%Y-%m-%d}": 50, f"{after:%Y-%m-%d}": 50}


@pytest.mark.parametrize(("said", "least"), [(0, 8), (-(10**9), 8), (10**18, 8), (5_000, 10_000)])
def test_a_model_that_does_not_count_is_counted_for(mem: Memory, said: int, least: int) -> None:
    model = Governed(ScriptedModel([Reply("Hello", (), said, said)]), DayBook(mem))
    model.chat(HELLO)
    assert least <= model.used == DayBook(mem).spent() <= 10_000


def test_who_dies_in_a_call_has_spent_what_was_set_aside_until_the_next_day(
    mem: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = DayBook(mem)
    # Nobody settles: the process is gone.
    assert book.set_aside(90, limit=100) is not None
    assert book.set_aside(20, limit=100) is None
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(days=1))
    assert book.set_aside(20, limit=100) is not None


def test_who_may_only_read_spends_nothing(mem: Memory) -> None:
    script = ScriptedModel([ANSWER])
    reader = mem.agent("rita", project="web", role="reader")
    with pytest.raises(ForbiddenError):
        Governed(script, DayBook(reader), day=100).chat(HELLO)
    assert script.asked == []


def test_settings_name_a_model(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    assert models.configured(mem) is None
    monkeypatch.setenv("LAMINA_MODEL_KEY", KEY)
    with serving(servers.saying(whole("Hello", usage=USAGE))) as service:
        mem.configure("model.url", f"{service.url}/v1/")
        with pytest.raises(InvalidInputError, match="`model.name` says no model"):
            models.configured(mem)
        mem.configure("model.name", "tiny")
        model = models.configured(mem.agent("finn", project="web"))
        assert model is not None
        assert model.chat(HELLO).text == "Hello"
        assert (model.used, model.day, model.job) == (18, 2_000_000, 500_000)
        # A store may name an address, but none that a key is sent to.
        assert "Authorization" not in service.asked[0].headers
        monkeypatch.setenv("LAMINA_MODEL_URL", f"{service.url}/v1")
        named = models.configured(mem)
        assert named is not None
        named.chat(HELLO)
        assert service.asked[1].headers["Authorization"] == f"Bearer {KEY}"
        assert KEY not in repr(named)


def test_a_store_does_not_send_texts_elsewhere(
    mem: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem.configure("model.url", "https://models.example/v1")
    mem.configure("model.name", "big")
    with pytest.raises(InvalidInputError, match="only the environment may name such a place"):
        models.configured(mem)
    monkeypatch.setenv("LAMINA_MODEL_URL", "https://models.example/v1/")
    assert models.configured(mem) is not None


@pytest.mark.parametrize(
    ("name", "value"),
    [("model.url", "http://ann:pw@x/v1"), ("model.url", "x"), ("model.url", "http://x?k=1"),
     ("model.name", ""), ("model.name", "a b"), ("model.key_env", "sk-123"),
     ("model.key_env", "AWS_SECRET_ACCESS_KEY"), ("model.tokens_per_day", "-1"),
     ("model.timeout_seconds", "0")],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(mem: Memory, name: str, value: str) -> None:
    with pytest.raises(InvalidInputError, match=f"`{name}` cannot be") as caught:
        mem.configure(name, value)
    assert "pw" not in str(caught.value)
