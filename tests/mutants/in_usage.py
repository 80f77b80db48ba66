"""Bugs planted in counts of use: what is added up, for whom, and what goes with a record."""

from tests.mutants.mutant import Mutant

ACCESS = "core/access.py"
REFERENCE = "stores/counting.py"
USAGE = "stores/sql/usage.py"

USE = (
    Mutant(
        "use_adds_up_and_the_latest_counts", "a batch replaces the count", "update lost", USAGE,
        "set hits = usage.hits + excluded.hits", "set hits = excluded.hits", "Sqlite",
    ),
    Mutant(
        "use_changes_nothing_else", "a count is kept as a setting", "telemetry in the way",
        "stores/counting.py", "known = self._contents.usage.setdefault(record, {})",
        "known = self._contents.usage.setdefault(record, {});"
        " self._contents.settings[record] = str(hits)",
    ),
    Mutant(
        "use_stays_with_a_record_through_its_versions", "a new version begins at nothing",
        "update lost", "stores/ephemeral.py",
        "        entry.versions[record.rev] = record\n",
        "        entry.versions[record.rev] = record\n        self._contents.usage.clear()\n",
    ),
    Mutant(
        "use_is_seen_by_those_who_see_the_record", "counts beyond reach are told",
        "existence leaks", USAGE, "if sees(scope, layer):", "if sees:", "Sqlite",
    ),
    Mutant(
        "use_of_what_is_global_is_not_seen_in_other_projects", "everybody's use counts",
        "existence leaks", ACCESS, "return not root or streams is None or", "return True or",
    ),
    Mutant(
        "an_erase_takes_the_counts_of_its_record_along", "counts outlive the record",
        "erase keeps content", "stores/sql/writing.py", "usage.drop(connection, rid)", "pass",
        "Sqlite",
    ),
    Mutant(
        "use_outlives_the_process", "counts are not saved", "ack without commit",
        "stores/json_file.py", "self._uncounted = True", "pass", "JsonFile",
    ),
    Mutant(
        "use_reaches_the_others", "counts that wait are dropped", "ack without commit",
        "stores/sql/tally.py", "self._write(self._leaving)", "pass", "Sqlite",
    ),
)  # fmt: skip
