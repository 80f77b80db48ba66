"""One JSON shape and one exit status for everything."""

from collections.abc import Iterator

import pytest

import lamina
from lamina import errors
from lamina.core.record import to_json
from lamina.errors import LaminaError
from lamina.stores.base import Finding, Severity
from lamina.surfaces import wire


def _tree(kind: type[LaminaError]) -> Iterator[type[LaminaError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _tree(child)


OURS = [kind for kind in _tree(LaminaError) if kind.__module__ == errors.__name__]


@pytest.mark.parametrize("kind", OURS)
def test_every_error_has_an_exit_status(kind: type[LaminaError]) -> None:
    assert wire.EXIT[kind] == wire.exit_status(kind("x")) > 0


def test_the_table_names_nothing_else() -> None:
    assert set(wire.EXIT) == set(OURS)


def test_an_error_from_elsewhere_counts_as_its_nearest_ancestor() -> None:
    class Elsewhere(errors.NotFoundError):
        pass

    assert wire.exit_status(Elsewhere("x")) == wire.EXIT[errors.NotFoundError]


def test_an_error_says_what_to_do() -> None:
    error = errors.StoreUnavailableError("busy", remedy="Wait")
    assert wire.error_out(error) == {
        "error": {
            "code": "store_unavailable",
            "message": "busy",
            "remedy": "Wait",
            "retryable": True,
        }
    }


def test_a_finding_is_plain() -> None:
    found = wire.finding_out(Finding("file", Severity.OK, "fine"))
    assert found == {
        "check": "file", "severity": "ok", "message": "fine", "truth": "", "remedy": "",
    }  # fmt: skip


def test_values_come_out_whole() -> None:
    with lamina.open(":memory:") as mem:
        receipt = mem.remember("Ann drinks tea", key="tea")
        record = mem.get("tea")
        recall = mem.recall("tea")
        assert wire.record_out(record) == to_json(record)
        assert wire.recall_out(recall)["hits"] == [wire.hit_out(recall.hits[0])]
        assert wire.hit_out(recall.hits[0])["record"] == to_json(record)
        sent = wire.receipt_out(receipt)
        assert sent["tx"] == receipt.tx
        assert sent["sealed"] == []
        assert set(wire.untouched_out(record)) == set(sent)
        assert wire.records_out([record], 5) == {"records": [to_json(record)], "total": 5}
        assert sent["outcomes"][0] == {
            "id": record.id, "rev": 1, "action": "created", "state": "current",
        }  # fmt: skip
        [version] = [wire.version_out(version) for version in mem.history(record.id)]
        assert version["record"] == to_json(record)
        assert version["event"]["tx"] == receipt.tx
        erased = wire.erasure_out(mem.erase(record.id))
        assert (erased["records"], erased["complete"]) == ([record.id], True)
        gone = wire.version_out(mem.history(record.id)[0])
        assert gone["record"] is None
