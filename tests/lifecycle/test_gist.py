"""Two texts have one gist only if nobody could tell them apart by what they say."""

import pytest

from lamina.lifecycle.gist import gist

SAME = [
    ("Deploys go out on Tuesdays.", "deploys go out on Tuesdays"),
    ("The deploy goes out on a Tuesday", "Deploy goes out on Tuesday"),
    ("Please use tabs!", "use tabs"),
    ("It isn't mended.", "It is not mended"),
    ("We can't deploy", "we cannot deploy"),
    ("Call it “main”", 'Call it "main"'),
    ("two   spaces", "two spaces"),
    ("Stop. The kettle leaks", "Stop. the kettle leaks"),
]
OTHER = [
    ("Deploys go out on Tuesdays", "Deploys go out on Thursdays"),
    ("Deploys go out on Tuesdays", "Deploys go out on Tuesdays?"),
    ("The limit is 100", "The limit is 1000"),
    ("The limit is 5", "The limit is -5"),
    ("Due on 2026-03-01", "Due on 2026-03-10"),
    ("It is mended", "It is not mended"),
    ("Never deploy on Fridays", "Deploy on Fridays"),
    ("Maya reports to Finn", "Finn reports to Maya"),
    ("Ask Maya first", "Ask Mia first"),
    ("Ship to staging", "Ship to production"),
    ("Send it to US teams", "Send it to us teams"),
    ("Ask the Polish team", "Ask the polish team"),
    ("It was deployed", "It is deployed"),
    ("Tests must pass", "Tests may pass"),
    ("Only admins may write", "Admins may write"),
    ("Deploys on Tuesdays unless frozen", "Deploys on Tuesdays"),
    ("Take option a", "Take option"),
    ("Use vitamin a daily", "Use vitamin daily"),
    ("set a to 5", "set the to 5"),
    ("il a mangé", "il mangé"),
    ("X is wide", "x is wide"),
    ("The balance is (5)", "The balance is 5"),
    ("Pass [x].", "Pass x."),
    ("5 kg", "5 g"),
    ("if x:\n    y()", "if x:\ny()"),
    ("v1.2", "v1.20"),
]


def test_what_differs_in_dress_alone_is_the_same() -> None:
    assert [pair for pair in SAME if gist(pair[0]) != gist(pair[1])] == []


def test_what_says_anything_else_is_not() -> None:
    assert [pair for pair in OTHER if gist(pair[0]) == gist(pair[1])] == []


@pytest.mark.parametrize("text", ["", "  ", "...", "?!", "—"])
def test_what_has_no_words_has_no_gist(text: str) -> None:
    assert gist(text) is None
