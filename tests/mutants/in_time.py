"""Bugs planted where time is believed and where the past goes."""

from tests.mutants.mutant import Mutant

PLANNING = "core/planning.py"
RETENTION = "core/retention.py"
REFERENCE = "stores/pruning.py"
SQLITE = "stores/sql/pruning.py"

TIME = (
    Mutant(
        "a_store_knows_when_its_newest_change_was", "the quietest stream tells the time",
        "order by clock", "stores/sql/reads.py",
        "select max(at) from stream", "select min(at) from stream", "Sqlite",
    ),
    Mutant(
        "time_stands_still_while_a_clock_is_years_ahead", "any clock is believed",
        "clock believed blindly", "core/timekeeping.py", "return latest", "return now",
    ),
    Mutant(
        "a_clock_within_reason_is_believed", "no clock is believed", "time stands still",
        "core/timekeeping.py", "if now - latest > LEAP:", "if now > latest:",
    ),
    Mutant(
        "a_clock_that_someone_vouched_for_is_believed", "nobody can vouch for a clock",
        "setting ignored", PLANNING, "accepted_in(view.setting(ACCEPT))", "None",
    ),
    Mutant(
        "a_new_stream_asks_the_whole_store_for_the_time", "a new stream believes any clock",
        "clock believed blindly", PLANNING,
        "if any(last is not None and abs(commit.at - last) <= LEAP for last in lasts):",
        "if all(last is None or abs(commit.at - last) <= LEAP for last in lasts):",
    ),
    Mutant(
        "a_quiet_stream_takes_the_word_of_the_others", "a stream knows only its own time",
        "time stands still", PLANNING,
        "believed(commit.at, view.newest_instant(), accepted)",
        "believed(commit.at, max((one for one in lasts if one), default=None), accepted)",
    ),
    Mutant(
        "pruning_drops_what_was_replaced_before_an_instant", "the instant itself goes too",
        "off by one", RETENTION, "ended < self.before", "ended <= self.before",
    ),
    Mutant(
        "pruning_keeps_so_many_earlier_versions", "one version too few is kept", "off by one",
        SQLITE, "l.age > c.versions", "l.age >= c.versions", "Sqlite",
    ),
    Mutant(
        "pruning_never_takes_the_newest_version", "the newest version goes too",
        "record lost", SQLITE, "past.first_gone - 1", "past.first_gone - 2", "Sqlite",
    ),
    Mutant(
        "what_goes_depends_on_when_it_was_replaced_and_not_on_its_own_times",
        "age is what a version says of itself", "order by clock", REFERENCE,
        "made[record_id, after]", "entry.versions[rev].updated_at",
    ),
    Mutant(
        "events_stay_when_their_versions_go", "events go with their versions", "log rewritten",
        SQLITE, "gone[past.layer] += lines",
        "connection.execute('delete from event where record = ? and rev = 1', (past.id,))\n"
        "                gone[past.layer] += lines", "Sqlite",
    ),
    Mutant(
        "pruning_leaves_other_layers_alone", "one cut holds for every layer",
        "rule of the layer ignored", SQLITE, "on c.layer = p.layer", "on c.layer = 'knowledge'",
        "Sqlite",
    ),
    Mutant(
        "a_count_of_what_would_go_changes_nothing_and_comes_true", "counting prunes",
        "dry run writes", REFERENCE, "return _prunable(self._contents, retention)",
        "return _prune(self._contents, retention)",
    ),
    Mutant(
        "a_pruned_record_goes_on", "the line ends too early", "link lost",
        "stores/sql/lines.py", "connection.execute(_END, (record_id, kept))",
        "connection.execute(_END, (record_id, 0))", "Sqlite",
    ),
    Mutant(
        "receipts_go_when_the_log_says_they_are_old", "a receipt goes a moment early",
        "off by one", SQLITE, "where e.at < ?", "where e.at <= ?", "Sqlite",
    ),
    Mutant(
        "a_store_may_keep_more_history_than_the_layer_declares", "only the layer's word counts",
        "setting ignored", RETENTION,
        "return None if wanted is None else max(limit, wanted)", "return limit",
    ),
    Mutant(
        "a_write_drops_nothing_that_the_layer_keeps", "a choice of fewer counts at once",
        "setting overdone", RETENTION,
        "    if limit is None or choice is None:\n        return limit\n",
        "    if choice is None:\n        return limit\n    limit = limit or 0\n",
    ),
    Mutant(
        "tidying_changes_nothing_that_can_be_read", "a log that was emptied is reported as full",
        "report wrong", "stores/sqlite/store.py",
        "return self._connections.alone(empty_log)",
        "return not self._connections.alone(empty_log)", "Sqlite",
    ),
)  # fmt: skip
