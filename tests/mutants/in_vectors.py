"""Bugs planted in what is kept and found by nearness, and in what stands around a match."""

from tests.mutants.mutant import Mutant

REFERENCE = "stores/searching.py"
SEARCHING = "stores/sql/searching.py"
NEAREST = "stores/sqlite/nearest.py"
MADE = "stores/sqlite/vectors.py"


def _planted(clause: str, name: str, kind: str, file: str, *texts: str) -> Mutant:
    old, new = texts
    return Mutant(clause, name, kind, file, old, new, "Sqlite")


VECTORS = (
    _planted(
        "a_record_waits_until_its_newest_version_has_a_vector", "a vector that comes late is kept",
        "old versions shown", MADE, "where v.rev = j.value",
        "where v.rev >= j.value",
    ),
    _planted(
        "what_is_not_indexed_needs_no_vector", "what is hidden waits for a vector",
        "index not updated", MADE, "r.head = v.vid and r.length > 0", "r.head = v.vid",
    ),
    _planted(
        "pending_made_and_refused_are_counted", "what was refused counts as made", "miscounted",
        MADE, "select count(x.body), count(*) - count(x.body)",
        "select count(*), count(*) - count(x.body)",
    ),
    Mutant(
        "only_some_are_handed_out_at_a_time", "everything that waits is handed out",
        "limit ignored", REFERENCE, "return list(self._pending(space))[:limit]",
        "return list(self._pending(space))",
    ),
    Mutant(
        "the_nearest_come_first", "the farthest come first", "ranking", REFERENCE,
        "(-(match.cosine or 0), -self.order[match.record.id])",
        "(match.cosine or 0, -self.order[match.record.id])",
    ),
    _planted(
        "words_and_nearness_each_bring_their_own", "what is found by words has no cosine",
        "field lost", SEARCHING,
        "near = {**near, **hunt.nearest.cosines(part.within, unplaced)}", "pass",
    ),
    _planted(
        "nearness_is_filtered_before_the_nearest_are_taken", "the nearest are taken, then filtered",
        "limit before filter", SEARCHING, "[nearest.ranked(part.within) for",
        "[islice(nearest.ranked(part.within), wanted.limit) for",
    ),
    Mutant(
        "what_others_have_moves_nothing", "everybody's vectors tell what is near in general",
        "statistics", REFERENCE, "near = [match.cosine for match in ranked.matches.values()]",
        "near = [*map(self._nearness(asked), self._contents.records(self._contents.entries))]",
    ),
    _planted(
        "who_waits_is_told_to_who_can_see_it", "who waits is told to all", "existence leaks",
        MADE, "where {within.sql} limit 1", "where {within.sql} or 1 limit 1",
    ),
    _planted(
        "spaces_are_never_mixed", "the vector of any space will do", "spaces mixed", MADE,
        "x.rid = r.rid and x.space = ?1", "x.rid = r.rid and x.space >= ?1",
    ),
    Mutant(
        "a_vector_that_is_none_is_refused", "what is no number counts as unit length",
        "unchecked input", "core/vectors.py", "if not abs(length - 1) < _TOLERANCE:",
        "if abs(length - 1) >= _TOLERANCE:",
    ),
    _planted(
        "a_record_that_goes_takes_its_vector_along", "a number that comes again is seen to",
        "mark too far ahead", MADE,
        "set mark = min(mark, (select ifnull(max(vid), 0) from version))", "set mark = mark",
    ),
    _planted(
        "a_version_of_the_past_has_no_vector_any_more", "today's vector stands for an old version",
        "old versions shown", NEAREST, "[rid for rid in rids if rid not in within.touched]",
        "list(rids)",
    ),
    Mutant(
        "a_vector_of_other_dimensions_is_compared_with_nothing", "vectors are compared as far as"
        " they go", "spaces mixed", REFERENCE, "not in (0, asked.dimensions)", "in ()",
    ),
    _planted(
        "indexing_anew_keeps_the_vectors", "indexing anew drops the vectors", "too much dropped",
        "stores/sqlite/care/words.py", "vectors.look_again(connection)",
        'connection.execute("delete from vector")',
    ),
    _planted(
        "indexing_anew_asks_again_for_what_was_refused", "what was refused once is so for ever",
        "mark too far ahead", MADE, 'connection.execute("delete from vector where body is null")',
        "pass",
    ),
    _planted(
        "what_was_said_around_a_match_comes_along", "the first of a session stands before all",
        "ranking", SEARCHING, 'direction = "desc" if side == "<" else "asc"', 'direction = "asc"',
    ),
    Mutant(
        "only_what_may_be_found_stands_around", "every layer is told in order", "layer ignored",
        REFERENCE, "if LAYERS[record.layer].in_order:", "if record.layer:",
    ),
    Mutant(
        "a_match_says_how_much_of_the_question_it_holds", "every match holds the whole question",
        "field lost", REFERENCE, "coverage=bm25.coverage(held, worths),", "coverage=1.0,",
    ),
    _planted(
        "what_has_run_out_is_left_out_and_counted", "what is live counts as run out", "miscounted",
        SEARCHING, "            else:\n                self.expired.add(rid)",
        "            self.expired.add(rid)",
    ),
    _planted(
        "folding_changes_no_answer", "a small store is folded for ever", "work for nothing",
        "stores/sqlite/searched.py", "                return False\n",
        "                return True\n",
    ),
    _planted(
        "a_duty_is_one_holders_at_a_time", "a duty is shared", "lock left out",
        "stores/sqlite/locks.py", "yield file.take(fcntl.LOCK_EX)",
        "yield file.take(fcntl.LOCK_SH)",
    ),
)  # fmt: skip
