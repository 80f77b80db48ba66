"""Bugs planted in notices: what is kept of reads and searches, and who hears of it."""

from tests.mutants.mutant import Mutant

ANNOUNCEMENTS = "core/announcements.py"
REFERENCE = "stores/noting.py"
TELEMETRY = "stores/sql/telemetry.py"

NOTICES = (
    Mutant(
        "notices_come_back_as_they_were_and_change_nothing", "actor and scope change places",
        "columns swapped", TELEMETRY, "said.actor, notice.scope,", "notice.scope, said.actor,",
        "Sqlite",
    ),
    Mutant(
        "notices_are_paged_by_growing_numbers", "a page of notices repeats the one before it",
        "off by one", TELEMETRY, "where tid > ? and", "where tid >= ? and", "Sqlite",
    ),
    Mutant(
        "only_the_newest_notices_stay", "one notice too many stays", "off by one", TELEMETRY,
        "(_TOO_OLD, (MOST_NOTICES,))", "(_TOO_OLD, (MOST_NOTICES + 1,))", "Sqlite",
    ),
    Mutant(
        "a_notice_on_a_record_is_heard_by_those_who_see_the_record",
        "any layer of a scope is heard", "scope predicate dropped", ANNOUNCEMENTS,
        "self.reach.covers(notice.scope, notice.layer)",
        'self.reach.covers(notice.scope, "knowledge")',
    ),
    Mutant(
        "who_reads_what_is_global_is_not_heard_in_other_projects",
        "what is global is heard everywhere", "existence leaks", ANNOUNCEMENTS,
        "return sees and self.reach.knows(notice.root)", "return sees",
    ),
    Mutant(
        "a_search_is_heard_by_the_searcher_and_by_those_who_see_the_stream",
        "whoever sees a part hears the searches", "existence leaks", ANNOUNCEMENTS,
        "known = self.reach.sees_stream(stream_of(notice.scope))",
        "known = any(grant.covers(notice.scope, \"session\") for grant in self.reach.grants)",
    ),
    Mutant(
        "what_is_not_heard_is_passed", "what is hidden ends a page for ever", "paging stuck",
        REFERENCE, "found[-1].number if found else after", "heard[-1].number if heard else after",
    ),
    Mutant(
        "every_erase_takes_the_notices_along", "notices outlive an erase", "erase keeps content",
        TELEMETRY, 'connection.execute("delete from telemetry")', "pass", "Sqlite",
    ),
    Mutant(
        "a_notice_on_what_is_gone_is_not_kept", "what is gone is told of", "erase keeps content",
        TELEMETRY, "if there.issuperset(notice.records)", "if there or not notice.records",
        "Sqlite",
    ),
    Mutant(
        "who_waits_for_a_change_is_woken_by_a_notice", "a notice wakes nobody", "wake-up lost",
        REFERENCE, "self._bell.ring()", "pass",
    ),
    Mutant(
        "notices_reach_the_others", "what waits is dropped", "ack without commit",
        "stores/sql/notepad.py", "self._write(taken, since)", "pass", "Sqlite",
    ),
    Mutant(
        "what_was_told_before_an_erase_does_not_come_after_it", "an erase elsewhere goes unnoticed",
        "erase keeps content", TELEMETRY, "if erase != since:", "if erase < since:", "Sqlite",
    ),
)  # fmt: skip
