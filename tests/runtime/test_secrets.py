"""What is sealed stays sealed: before a model, in the log, in NOW and wherever a text is cut."""

import pytest

from lamina.compaction import by_model
from lamina.core.record import State
from lamina.core.sealed import SCHEME
from lamina.core.text.cut import head_and_tail, head_of, tail_of
from lamina.memory import AgentMemory
from lamina.runtime import Agent
from lamina.testing import ScriptedModel
from tests.runtime.scenes import calls, finn

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA2bC4"
PASSWORD = "Tiger!42xyz"
_PARTS = (TOKEN[:12], TOKEN[-12:], PASSWORD)


def fetch(password: str) -> str:
    """Get what is wanted."""
    return f"{password} opened it, the next token is {TOKEN}"


def fail(secret: str) -> str:
    """Break."""
    raise ValueError(f"{secret} is no good")


def _everything(memory: AgentMemory) -> str:
    """All that is kept, every version of it."""
    store, reach = memory.store, memory.reach
    states = {"state": {"$in": ["current", "archived", "superseded", "forgotten"]}}
    found = memory.query(states, limit=1_000)
    return str([store.versions(reach, one.id) for one in found])


def test_a_model_sees_neither_a_secret_nor_what_stands_for_it() -> None:
    with finn() as memory:
        profile = {"layer": "now", "kind": "profile", "key": "profile:rules"}
        memory.remember(f"Push with {TOKEN}.", **profile)  # type: ignore[arg-type]
        memory.now.update(f"Deploy with {TOKEN}", [f"Log in, password: {PASSWORD}"])
        memory.log.append("ERROR", f"{TOKEN} was refused")
        memory.fact.save("db-password", PASSWORD)
        memory.task.add("t-1", f"Replace {TOKEN}")
        memory.remember(f"The deploy token is {TOKEN}", data={"password": PASSWORD})
        steps = [calls("fetch", password=PASSWORD), calls("fail", secret=TOKEN)]
        model = ScriptedModel([*steps, "Done."])
        Agent(memory, model, [fetch, fail]).run(f"Deploy with {TOKEN}, password: {PASSWORD}")
        memory.session("main").append("summary", f"We used {TOKEN}")
        summary = ScriptedModel(
            ["The deploy token was used by the user, and the password was given."]
        )
        memory.session("main").compact(force=True, summarise=by_model(summary))
        context = memory.context("deploy token password")
        shown = [*map(str, model.asked), *map(str, summary.asked), context.text, context.blocks()]
        assert all("[a sealed secret]" in text for text in shown)
        assert not [part for part in (*_PARTS, SCHEME) for text in shown if part in text]
        assert not [part for part in _PARTS if part in _everything(memory)]


@pytest.mark.parametrize("before", [125, 170, 280])
def test_a_secret_is_not_known_by_the_half_of_it_that_fits(before: int) -> None:
    with finn() as memory:
        text = f"{'so it is ' * before}"[:before] + f" {TOKEN} " + "and more of it " * 40
        model = ScriptedModel([calls("fetch", password=text), "Done."])
        Agent(memory, model, [fetch]).run(text)
        assert not [part for part in _PARTS if part in _everything(memory)]


def test_what_a_run_is_about_is_shown_sealed_even_when_it_was_archived() -> None:
    with finn() as memory:

        def archive(what: str) -> str:
            """Archive what was said."""
            path = memory.path_for(memory.principal.surface)
            path.commit([path.move(one, State.ARCHIVED) for one in memory.session("main").read()])
            return what

        model = ScriptedModel([calls("archive", what="all"), "Done."])
        Agent(memory, model, [archive]).run(f"Deploy with {TOKEN}")
        assert not [part for part in (*_PARTS, SCHEME) if part in str(model.asked[-1])]
        assert "Deploy with [a sealed secret]" in str(model.asked[-1])


def test_a_text_is_cut_between_lines_or_words() -> None:
    lines = "\n".join(f"line {number}: {TOKEN}" for number in range(100))
    head, _, tail = head_and_tail(lines, 1_000).partition("\n[…")
    assert all(line.endswith(TOKEN) for line in head.splitlines())
    assert all(line.endswith(TOKEN) for line in tail.splitlines()[1:])
    assert head_of("one two three", 9) == "one two"
    assert tail_of("one two three", 9) == "two three"
    assert (head_of("abcdefgh", 4), tail_of("abcdefgh", 4)) == ("abcd", "efgh")
    assert (head_of("abc", 4), tail_of("abc", 3)) == ("abc", "abc")
