"""Bugs planted in the SQLite store."""

from tests.mutants.mutant import Mutant

STORE = "stores/sqlite/store.py"
ASKED = "stores/sql/store.py"
PRESENT = "stores/sql/present.py"
COMMITS = "stores/sql/commits.py"
WRITING = "stores/sql/writing.py"
READS = "stores/sql/reads.py"
LOG = "stores/sql/log.py"
PREDICATES = "stores/sql/predicates.py"
STREAMS = "stores/sql/streams.py"
VOCABULARY = "stores/sql/vocabulary.py"
CONNECTIONS = "stores/sqlite/connections.py"
TOGETHER = "stores/together.py"
PAGES = "stores/sqlite/care/pages.py"
SEARCHING = "stores/sql/searching.py"
WORDS = "stores/sqlite/care/words.py"

_LIVE = (
    "where = everything(wanted.reach, wanted.where, wanted.live_at)\n"
    "    moment, records = source(connection.dialect, wanted.as_of, wanted.where)\n"
)
_ANY = _LIVE.replace("wanted.live_at", "None")


def _planted(clause: str, name: str, kind: str, file: str, *texts: str) -> Mutant:
    old, new = texts
    return Mutant(clause, name, kind, file, old, new, "Sqlite")


SQLITE = (
    _planted(
        "erasing_leaves_the_events_and_the_chain_holds", "erasing takes the events along",
        "log rewritten", WRITING,
        "delete from receipt where instr(body, ?) > 0", "delete from event where record = ?",
    ),
    _planted(
        "erasing_leaves_a_tombstone", "no tombstone is left", "tombstone skipped", STORE,
        "self._ledger.add(erased, commit.at)", "pass",
    ),
    _planted(
        "erasing_takes_the_receipts_along", "receipts of what was erased stay",
        "erase keeps content", WRITING,
        "delete from receipt where instr(body, ?) > 0", "delete from receipt where tx = ?",
    ),
    _planted(
        "an_erased_key_is_free_again", "versions of what was erased stay", "erase keeps content",
        WRITING, "lines.drop(connection, record_id)", "pass",
    ),
    _planted(
        "erasing_moves_the_word_counts_back", "erased words are still counted", "statistics",
        WRITING, "stream.count(length, 0)", "pass",
    ),
    _planted(
        "scrubbing_leaves_no_erased_byte", "nobody looks for erased bytes", "scrub skipped",
        STORE, "report = scrub(self._connections, self._folder, erased)",
        "from lamina.stores.base import ScrubReport as Report\n\n        report = Report(files=1)",
    ),
    _planted(
        "what_a_remaining_record_says_is_no_residue", "living bytes count as residue",
        "false alarm", "stores/sqlite/scrub.py", "explained.update(here)", "pass",
    ),
    _planted(
        "deleted_bytes_do_not_stay_in_free_pages", "free pages keep their bytes",
        "secure delete off", "stores/sqlite/driver.py",
        "secure_delete = on", "secure_delete = off",
    ),
    _planted(
        "filters_mean_what_the_reference_says", "null is not unequal to anything",
        "null semantics", PREDICATES, "{name} is distinct from ?", "{name} <> ?",
    ),
    _planted(
        "values_compare_within_their_json_type_only", "truth values compare as numbers",
        "types mixed up", PREDICATES,
        "{name}.type = 'integer'", "{name}.type in ('integer', 'true', 'false')",
    ),
    _planted(
        "one_event_follows_from_each_record_changed", "one event for a whole commit",
        "event skipped", WRITING, "self._add(_ADD_EVENT,",
        "_ADD_EVENT in self.waiting or self._add(_ADD_EVENT,",
    ),
    _planted(
        "events_are_paged_by_sequence", "a page of events repeats the one before it",
        "off by one", LOG, "e.seq > ?", "e.seq >= ?",
    ),
    _planted(
        "versions_tell_a_records_history_oldest_first", "history is told backwards", "unordered",
        LOG, "where e.record = ? order by e.seq", "where e.record = ? order by e.seq desc",
    ),
    _planted(
        "streams_are_the_roots_that_were_written", "streams are listed by age", "unordered",
        READS, "select name from stream order by name", "select name from stream order by sid",
    ),
    _planted(
        "a_subtree_shows_all_of_itself_and_nothing_else", "a name is read as a pattern",
        "LIKE for range", PREDICATES,
        'below = "(r.scope = ? or r.scope > ? and r.scope < ?)"\n'
        '    bounds = (grant.scope, f"{grant.scope}/", f"{grant.scope}0")',
        'below = "(r.scope = ? or r.scope like ?)"\n'
        '    bounds = (grant.scope, f"{grant.scope}/%")',
    ),
    _planted(
        "an_exact_scope_shows_nothing_below_it", "every scope is a subtree", "reach widened",
        PREDICATES, "if not grant.subtree:", "if False:",
    ),
    _planted(
        "several_grants_show_their_union_once", "grants narrow each other", "AND for OR",
        PREDICATES, '[_grant(grant) for grant in reach.grants], "or"',
        '[_grant(grant) for grant in reach.grants], "and"',
    ),
    _planted(
        "a_filter_cannot_widen_a_reach", "a filter on scopes replaces the reach",
        "scope predicate dropped", PREDICATES, "parts = [_within(reach),",
        'parts = [*([] if where.names("scope") else [_within(reach)]),',
    ),
    _planted(
        "layers_beyond_reach_do_not_exist", "a grant covers every layer",
        "scope predicate dropped", PREDICATES,
        'in_layers = Predicate(f"r.layer in ({_marks(layers)})", tuple(layers))',
        'in_layers = Predicate("true")',
    ),
    _planted(
        "without_a_grant_nothing_exists", "no grant means every grant", "scope predicate dropped",
        PREDICATES, 'Predicate("true") if word == "and" else _FALSE', 'Predicate("true")',
    ),
    _planted(
        "settings_are_kept", "the first choice is final", "no-op upsert", ASKED,
        "on conflict (name) do update set value = excluded.value", "on conflict (name) do nothing",
    ),
    _planted(
        "sealed_values_come_back_as_they_were", "nonce and box change places", "columns swapped",
        WRITING, "box.nonce, box.box)", "box.box, box.nonce)",
    ),
    _planted(
        "threads_lose_nothing", "writers do not wait their turn", "lock left out", TOGETHER,
        "with self.turn:\n                while not request.done:",
        "if True:\n                while not request.done:",
    ),
    _planted(
        "a_healthy_store_has_nothing_to_report", "an old reader checks the index", "false alarm",
        PAGES, 'one(connection, "select rowid from word limit 1")', "pass",
    ),
    _planted(
        "a_closed_store_takes_no_writes", "a closed store opens itself again", "closed twice",
        CONNECTIONS, "if self._closed:", "if False:",
    ),
    _planted(
        "two_stores_on_one_place_see_each_other", "a write is acknowledged, not committed",
        "ack without commit", CONNECTIONS, 'connection.execute("commit")',
        'connection.execute("rollback")',
    ),
    _planted(
        "a_setting_holds_for_all_at_once", "the plan sees no settings", "setting ignored",
        "stores/sql/present.py", "return self.settings.get(name)", "return None",
    ),
    _planted(
        "a_receipt_is_known_to_all", "receipts are not written", "receipts not stored", COMMITS,
        'connection.execute("insert into receipt values (?, ?, ?, ?, ?)", body)', "del body",
    ),
    _planted(
        "find_answers_with_the_current_holder", "a slot is found by its first holder",
        "old versions shown", WRITING, "set to_seq = ?, place = null where",
        "set to_seq = ? where",
    ),
    _planted(
        "order_is_that_of_creation_not_of_the_clock", "records come by the clock",
        "order by clock", READS, 'f"r.rid {direction}" if field is None',
        'f"r.created_at {direction}" if field is None',
    ),
    _planted(
        "ordering_puts_nulls_least_and_the_newest_first_among_equals", "equals come oldest first",
        "unordered", READS, "{direction}, r.rid desc", "{direction}, r.rid",
    ),
    _planted(
        "a_limit_counts_what_matched", "a limit is ignored", "limit ignored", READS,
        "limit = ALL if wanted.limit is None else wanted.limit", "limit = ALL",
    ),
    _planted(
        "what_was_forgotten_opposes_nobody", "a slot is never freed", "index in the wrong place",
        WRITING, "set to_seq = ?, place = null where", "set to_seq = ? where",
    ),
    _planted(
        "words_beyond_reach_do_not_exist", "every word of a stream is known",
        "existence leaks", VOCABULARY, "if stream.sight is None:", "if stream:",
    ),
    _planted(
        "what_cannot_be_seen_moves_no_score", "documents are counted beyond reach", "statistics",
        "stores/sqlite/words.py",
        "from record r where r.length > 0 and ", "from record r where r.length > 0 or ",
    ),
    _planted(
        "a_stream_of_which_nothing_can_be_seen_does_not_exist", "words tell in an empty stream",
        "existence leaks", SEARCHING, "return [part for part in parts if part.documents]",
        "return parts",
    ),
    _planted(
        "what_any_kept_version_says_is_found_by_its_text", "only the newest is looked through",
        "old versions missed", READS, "join record r on r.rid = old.rid",
        "join record r on r.head = old.vid",
    ),
    _planted(
        "what_a_record_says_is_found_wherever_it_says_so", "tags are not looked through",
        "a copy in a tag missed", READS, "old.data || '\\n' || old.tags\"", 'old.data"',
    ),
    _planted(
        "a_store_knows_whether_anything_is_sealed", "sealed values go unnoticed",
        "wrong table asked", ASKED, "select 1 from sealed", "select 1 from receipt",
    ),
    _planted(
        "a_walk_meets_every_record_of_a_stream_once", "a walk skips the first of a page",
        "off by one", READS, "r.rid > ? and", "r.rid > ? + 2 and",
    ),
    _planted(
        "a_walk_goes_on_while_records_are_erased_and_added", "a walk counts instead of remembering",
        "paging by offset", ASKED, "last = page[-1][0]", "last += len(page) + 10",
    ),
    _planted(
        "numbers_compare_by_their_exact_value", "numbers are compared as floats",
        "precision lost", PREDICATES,
        "cast({name}.atom as numeric) end", "cast({name}.atom as double precision) end",
    ),
    _planted(
        "commits_over_several_streams_do_not_lock_each_other_out", "only one stream is saved",
        "head not advanced", PRESENT, "for state in self.streams.values():",
        "for state in list(self.streams.values())[:1]:",
    ),
    _planted(
        "one_request_from_many_threads_happens_once", "receipts are not found again",
        "receipts not stored", COMMITS, "where owner = ? and key = ?",
        "where owner = ? and key = ? and tx > 'z'",
    ),
    _planted(
        "counting_agrees_with_querying", "what ran out is counted", "expired shown", READS,
        f"{_LIVE}    if records == NEWEST and _is_common",
        f"{_ANY}    if records == NEWEST and _is_common",
    ),
    _planted(
        "a_census_agrees_with_querying", "what ran out is in the census", "expired shown", READS,
        f"{_LIVE}    if records == NEWEST and _is_much",
        f"{_ANY}    if records == NEWEST and _is_much",
    ),
    _planted(
        "what_is_not_live_is_left_out", "a record lives through its last instant",
        "expired shown", PREDICATES, "v.expires_at > ?", "v.expires_at >= ?",
    ),
    _planted(
        "only_the_newest_version_is_asked", "every version is asked", "old versions shown",
        "stores/sql/past.py", 'NEWEST: Final = f"record r join version v on {_HEAD}"',
        'NEWEST: Final = "record r join version v on v.rid = r.rid"',
    ),
    _planted(
        "every_field_can_be_asked_for", "at least means more than", "off by one", PREDICATES,
        'Op.GTE: ">="', 'Op.GTE: ">"',
    ),
    _planted(
        "a_request_that_changed_nothing_is_remembered_too", "only changes leave receipts",
        "receipts not stored", COMMITS, "if owner is not None:\n            note",
        "if owner is not None and seqs:\n            note",
    ),
    _planted(
        "different_keys_are_different_requests", "idempotency keys are folded", "owner mixed up",
        "stores/receipts.py", "commit.idempotency_key.encode()",
        "commit.idempotency_key.strip().lower().encode()",
    ),
    _planted(
        "another_streams_documents_move_no_score", "documents are counted over all streams",
        "statistics", STREAMS, "counted = _as_then(documents, tokens, past)",
        'counted = _as_then(list(rows(connection, "select sum(documents) from stream"))[0][0],'
        " tokens, past)",
    ),
    _planted(
        "query_text_is_data", "a piece is written into the statement", "text as syntax", VOCABULARY,
        '" or ".join(["instr(term, ?) > 0"] * len(pieces))',
        "\" or \".join(f\"instr(term, '{one}') > 0 or ? = ''\" for one in pieces)",
    ),
    _planted(
        "filters_apply_before_the_best_are_taken", "the best are taken, then filtered",
        "limit before filter", SEARCHING, "[part.words.ranked() for",
        "[islice(part.words.ranked(), wanted.limit) for",
    ),
    _planted(
        "a_match_names_the_tokens_it_holds", "tokens show their stream's number", "field lost",
        VOCABULARY, 'term.split(":", 1)[1] for', "term for",
    ),
    _planted(
        "indexing_anew_changes_no_answer", "what is forgotten is indexed anew", "index not updated",
        WORDS, "terms = analyse(record) if is_indexed(record) else ()",
        "terms = analyse(record)",
    ),
    _planted(
        "a_repair_of_a_healthy_store_changes_no_answer", "a repair leaves the index empty",
        "repair loses", "stores/sqlite/care/repairing.py",
        "return reindex(connection, analyse, lambda",
        "return reindex(connection, lambda record: (), lambda",
    ),
    _planted(
        "a_whole_log_passes_an_audit_of_all_and_of_each_stream",
        "the records of others are held against one log", "streams mixed up",
        "stores/sql/care/versions.py",
        "kept = (row for row in look.each(VERSIONS) if look.covers(row[1]))",
        "kept = (row for row in look.each(VERSIONS))",
    ),
    _planted(
        "scores_equal_those_of_the_reference", "long texts score better", "ranking",
        "stores/sqlite/words.py",
        "(1 - ? + ? * r.length / ?)", "(1 + ? - ? * r.length / ?)",
    ),
    _planted(
        "what_was_written_is_read_back_as_it_was", "instants lose their microseconds",
        "field lost", "stores/sql/rows.py", "to_text(record.expires_at)",
        "to_text(record.expires_at.replace(microsecond=0))",
    ),
)  # fmt: skip
