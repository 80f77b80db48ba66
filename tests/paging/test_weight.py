"""Of a large place the weightiest knowledge is known, as it is now."""

import lamina


def test_what_weighs_most_is_shown_and_what_went_is_not() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        web = mem.project("web")
        old = web.remember("the oldest rule of all", kind="convention", importance=1.0)
        web.remember_many([{"text": f"note {number}", "importance": 0.1} for number in range(260)])
        finn = mem.agent("finn", project="web")
        for _ in range(2):
            assert "the oldest rule of all" in finn.context("").text
        web.remember("a younger rule", kind="convention", importance=1.0)
        web.edit(old.id, "the oldest rule, amended")
        text = finn.context("").text
        assert "a younger rule" in text
        assert "the oldest rule, amended" in text
        web.forget(old.id)
        assert "the oldest rule" not in finn.context("").text
