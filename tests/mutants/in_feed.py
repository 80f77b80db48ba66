"""Bugs planted in the change feed and in reading the past."""

from tests.mutants.mutant import Mutant

BELL = "stores/bell.py"
EPHEMERAL = "stores/ephemeral.py"
TELLING = "stores/telling.py"
POOL = "stores/sqlite/pool.py"
FEED = "stores/sql/feed.py"
STREAMS = "stores/sql/streams.py"
OLD_WORDS = "stores/sql/old_words.py"
PAST = "stores/sql/past.py"
READS = "stores/sql/reads.py"
SEARCHING = "stores/sql/searching.py"
STORE = "stores/sql/store.py"


def _planted(clause: str, name: str, kind: str, file: str, *texts: str) -> Mutant:
    old, new = texts
    return Mutant(clause, name, kind, file, old, new, "Sqlite")


FEEDS = (
    _planted(
        "a_record_reads_as_it_was", "the past begins one event late", "off by one", PAST,
        "where line.born <= {_REACHED} limit 1", "where line.born < {_REACHED} limit 1",
    ),
    _planted(
        "a_query_of_the_past_is_about_what_was_said_then", "a query knows only the present",
        "past forgotten", READS,
        "source(connection.dialect, wanted.as_of, wanted.where)\n    is_page",
        "source(connection.dialect, None)\n    is_page",
    ),
    _planted(
        "a_count_of_the_past_agrees_with_its_query", "a count knows only the present",
        "past forgotten", READS,
        "source(connection.dialect, wanted.as_of, wanted.where)\n"
        "    if records == NEWEST and _is_common",
        "source(connection.dialect, None)\n    if records == NEWEST and _is_common",
    ),
    _planted(
        "each_stream_has_its_own_past", "one stream's past is everybody's", "streams mixed up",
        PAST, "join stream s on s.name = j.key", "join stream s on s.name > ''",
    ),
    _planted(
        "a_search_of_the_past_answers_as_it_did_then", "old words, today's statistics",
        "statistics", STREAMS,
        "Statistics.of(documents + past.number, tokens + past.tokens)",
        "Statistics.of(documents, tokens)",
    ),
    _planted(
        "what_lies_beyond_sight_does_not_move_a_search_of_the_past",
        "hidden words of the past are counted", "reach widened", OLD_WORDS,
        "if whole or reach.sees(document.record):", "if document.record:",
    ),
    _planted(
        "a_search_of_the_past_knows_what_was_current_then", "what has changed since is not found",
        "old versions hidden", SEARCHING,
        "source(self.connection.dialect, self.wanted.as_of)\n        lively",
        "source(self.connection.dialect, None)\n        lively",
    ),
    Mutant(
        "what_was_erased_is_gone_from_the_past", "an erased record keeps its versions",
        "erase keeps content", EPHEMERAL, "del contents.entries[record_id]", "pass",
    ),
    _planted(
        "the_past_is_confined_to_the_reach", "the past is open to all",
        "scope predicate dropped", READS,
        "within = everything(reach, Filter(), None)\n"
        "    moment, records = source(connection.dialect, as_of)",
        "from lamina.core.access import EVERYTHING\n"
        "    within = everything(EVERYTHING if as_of else reach, Filter(), None)\n"
        "    moment, records = source(connection.dialect, as_of)",
    ),
    _planted(
        "every_event_comes_once_and_in_order", "the first event of a page is left out",
        "off by one", FEED,
        "in log.events(connection, name, after, last - after):",
        "in log.events(connection, name, after and after + 1, last - after - 1):",
    ),
    _planted(
        "a_change_brings_the_version_and_the_one_before", "a change shows the newest version",
        "old versions shown", FEED,
        "Changed(event, versions.get(event.rev), before)",
        "Changed(event, versions[max(versions)], before)",
    ),
    Mutant(
        "a_version_that_is_not_kept_is_missing_from_its_change",
        "a version that is gone is replaced by another", "old versions shown", TELLING,
        "made = entry.versions.get(event.rev)", "made = entry.newest",
    ),
    _planted(
        "older_changes_come_first_across_streams", "one stream after the other", "unordered",
        FEED, "found.sort(key=lambda entry: (entry[0].at, entry[0].stream, entry[0].seq))", "pass",
    ),
    _planted(
        "changes_are_confined_to_the_reach_and_pass_over_the_rest", "the feed shows everything",
        "scope predicate dropped", FEED,
        "shown = visible.get(event.record, erased_too)", "shown = True",
    ),
    _planted(
        "events_of_the_erased_are_for_those_who_see_the_stream", "anyone sees what was erased",
        "reach widened", FEED, "erased_too = reach.sees_stream(name)", "erased_too = True",
    ),
    _planted(
        "a_position_is_the_head_of_each_stream", "a position shows streams nobody asked for",
        "reach widened", FEED,
        "if streams is not None and name not in streams:", "if not name:",
    ),
    _planted(
        "a_position_can_be_asked_for_as_of_an_instant", "an event at the instant is left out",
        "off by one", FEED, "if happened <= at else", "if happened < at else",
    ),
    Mutant(
        "waiting_ends_with_the_next_commit", "a commit wakes nobody", "nobody woken",
        EPHEMERAL, "self._bell.ring()", "pass",
    ),
    Mutant(
        "waiting_in_vain_says_so", "every wait ends well", "false alarm", BELL,
        "return False", "return True",
    ),
    _planted(
        "a_store_has_one_identity", "another identity every time", "not saved", STORE,
        'return self.settings()["identity"]', "import os\n\n        return os.urandom(8).hex()",
    ),
    _planted(
        "a_commit_of_another_wakes_those_who_wait", "only own commits are noticed",
        "nobody woken", POOL, "pragma data_version", "pragma user_version",
    ),
)  # fmt: skip
