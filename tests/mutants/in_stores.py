"""Bugs planted in the stores that dictionaries and a JSON file make up."""

from tests.mutants.mutant import Mutant

EPHEMERAL = "stores/ephemeral.py"
CONTENTS = "stores/contents.py"
JSON_FILE = "stores/json_file.py"

STORES = (
    Mutant(
        "erasing_leaves_no_content", "an erased record stays", "erase keeps content", EPHEMERAL,
        "del contents.entries[record_id]", "pass",
    ),
    Mutant(
        "a_transaction_lists_its_own_events_in_order", "streams come as they were made",
        "unordered", "stores/telling.py", "in sorted(self._contents.streams.items()):",
        "in self._contents.streams.items():",
    ),
    Mutant(
        "an_adopted_record_takes_its_place", "adopting takes no slot", "index in the wrong place",
        EPHEMERAL, "if place := place_of(step.after):",
        "if step.action is not Action.ADOPTED and (place := place_of(step.after)):",
    ),
    Mutant(
        "get_keeps_the_order_asked_for_and_skips_the_missing", "get sorts by id", "unordered",
        EPHEMERAL, "found = self._contents.records(ids)",
        "found = self._contents.records(sorted(set(ids)))",
    ),
    Mutant(
        "a_negative_limit_is_refused", "a negative limit counts from the end", "unchecked input",
        "stores/questions.py", "if value is not None and value < 0:", "if False:",
    ),
    Mutant(
        "a_repeated_request_gets_its_first_receipt", "a repeat is done again",
        "repeat misunderstood", EPHEMERAL, "return replace(receipt, repeated=True)", "return None",
    ),
    Mutant(
        "equal_matches_come_newest_first", "the oldest come first among equals", "ranking",
        "stores/searching.py", "return -match.score, -self.order[match.record.id]",
        "return -match.score, self.order[match.record.id]",
    ),
    Mutant(
        "a_new_version_is_found_by_its_own_words_only", "old words stay in the index",
        "index not updated", EPHEMERAL,
        "stream.drop(record_id)\n            stream.add(record_id, step.terms)",
        "stream.add(record_id, step.terms)",
    ),
    Mutant(
        "a_record_without_words_is_no_document", "empty records count as documents", "statistics",
        CONTENTS, "if terms:", "if True:",
    ),
    Mutant(
        "a_commit_is_all_or_nothing", "changes are committed one by one",
        "not all or nothing", EPHEMERAL, "plan = make_plan(commit, self._contents)",
        "for n, _ in enumerate(commit.changes[1:]):\n"
        "                part = commit.changes[n : n + 1]\n"
        "                self.commit(replace(commit, changes=part, idempotency_key=None))\n"
        "            commit = replace(commit, changes=commit.changes[-1:])\n"
        "            plan = make_plan(commit, self._contents)",
    ),
    Mutant(
        "an_erase_that_failed_leaves_no_tombstone", "the tombstone comes before the plan",
        "not all or nothing", EPHEMERAL, "plan = make_plan(commit, self._contents)",
        "from lamina.core.changes import Erase\n\n"
        "            gone = [one.id for one in commit.changes if isinstance(one, Erase)]\n"
        "            self._contents.tombstones.update(gone)\n"
        "            plan = make_plan(commit, self._contents)",
    ),
    Mutant(
        "history_is_kept_as_far_as_the_layer_says", "one version too many is kept", "off by one",
        EPHEMERAL, "[: -kept - 1]", "[: -kept - 2]",
    ),
    Mutant(
        "a_receipt_tells_what_happened", "a receipt names one stream only", "receipt wrong",
        EPHEMERAL, "tuple(sorted(seqs.items()))", "tuple(sorted(seqs.items()))[:1]",
    ),
    Mutant(
        "closing_twice_is_fine", "a closed file is closed again", "closed twice", JSON_FILE,
        "os.close(self._held)\n                self._held = None", "os.close(self._held)",
        "JsonFile",
    ),
    Mutant(
        "reopening_shows_the_same", "settings are not saved", "not saved", JSON_FILE,
        '"settings": contents.settings,', '"settings": {},', "JsonFile",
    ),
    Mutant(
        "a_receipt_outlives_the_process", "receipts are not loaded", "receipts not stored",
        JSON_FILE, "contents.receipts[owner, key] = (request, receipts.from_text(receipt))",
        "del owner, key, request, receipt", "JsonFile",
    ),
    Mutant(
        "writing_goes_on_where_it_stopped", "the log begins anew", "not saved", JSON_FILE,
        "for row in events]", "for row in events[:0]]", "JsonFile",
    ),
)  # fmt: skip
