"""Bugs planted in the core, seen on the reference store."""

from tests.mutants.mutant import Mutant

PLANNING = "core/planning.py"
CONFLICT = "core/conflict.py"

CORE = (
    Mutant(
        "a_commit_does_not_bring_back_what_it_erases", "erased and adopted in one breath",
        "erase undone", PLANNING, "record.id in self._gone or self._view", "self._view",
    ),
    Mutant(
        "a_matching_revision_wins_any_conflict", "a matching revision counts for nothing",
        "compare-and-set ignored", PLANNING,
        "unopposed = put.expect is not None or not current.is_live(self._commit.at)",
        "unopposed = not current.is_live(self._commit.at)",
    ),
    Mutant(
        "higher_trust_wins_before_anything_else", "lower trust wins", "conflict order", CONFLICT,
        "return incoming.trust.rank > current.trust.rank",
        "return incoming.trust.rank < current.trust.rank",
    ),
    Mutant(
        "the_same_author_corrects_itself", "an author is bound by an old confidence",
        "conflict order", CONFLICT,
        "if incoming.source == current.source:", "if False:",
    ),
    Mutant(
        "between_authors_the_surer_wins", "confidence is not compared", "conflict order", CONFLICT,
        "return incoming.confidence > current.confidence", "return True",
    ),
    Mutant(
        "a_tie_goes_to_the_newest_unless_ties_are_reviewed", "ties never wait", "setting ignored",
        CONFLICT, "or not ties_wait", "or True",
    ),
    Mutant(
        "an_arbiter_wins_a_tie_even_under_review", "an orchestrator is no arbiter",
        "conflict order", CONFLICT,
        "speaker.role in (Role.ADMIN, Role.ORCHESTRATOR)", "speaker.role is Role.ADMIN",
    ),
    Mutant(
        "the_loser_stays_beside_as_a_proposal", "the loser forgets whom it lost to", "link lost",
        PLANNING, "content = replace(put.content, supersedes=current.id)", "content = put.content",
    ),
    Mutant(
        "who_may_only_propose_leaves_what_is_current", "a proposal replaces", "conflict order",
        PLANNING, "if put.proposal and current.state is State.CURRENT:", "if False:",
    ),
    Mutant(
        "what_ran_out_opposes_nobody", "the expired still oppose", "expiry ignored", PLANNING,
        "or not current.is_live(self._commit.at)", "or current.state is not State.CURRENT",
    ),
    Mutant(
        "one_of_many_threads_wins_a_compare_and_set", "edits expect nothing",
        "compare-and-set ignored", PLANNING,
        "_check_expected(put.expect, current)", "_check_expected(None, current)",
    ),
    Mutant(
        "compare_and_set_takes_only_the_revision_that_was_seen", "an expected 0 means anything",
        "compare-and-set ignored", PLANNING,
        "if expect is not None and expect != current.rev:",
        "if expect and expect != current.rev:",
    ),
    Mutant(
        "forgetting_hides_and_restoring_brings_back", "what is restored is not indexed",
        "index not updated", PLANNING, "move.terms if enters else None", "None",
    ),
    Mutant(
        "the_index_holds_exactly_the_states_that_are_searched", "proposals are not indexed",
        "index not updated", "core/record.py",
        "frozenset((State.CURRENT, State.PROPOSED, State.ARCHIVED))",
        "frozenset((State.CURRENT, State.ARCHIVED))",
    ),
    Mutant(
        "moving_to_the_state_it_has_changes_nothing", "a move to the same state is written",
        "no-op written", PLANNING, "if move.state is current.state:", "if False:",
    ),
    Mutant(
        "a_key_taken_meanwhile_blocks_restoring", "restoring does not look who holds the key",
        "uniqueness unchecked", PLANNING,
        "self._check_place(after)\n        enters", "enters",
    ),
    Mutant(
        "a_new_kind_may_not_take_a_slot_that_is_held", "a revision takes another's slot",
        "uniqueness unchecked", PLANNING,
        "self._check_place(after)\n        after = replace(after, rev",
        "after = replace(after, rev",
    ),
    Mutant(
        "undoing_writes_the_earlier_version_again", "a revision keeps the old words",
        "index not updated", PLANNING,
        "Step(Action.REVISED, current, after, terms, sealed)",
        "Step(Action.REVISED, current, after, None, sealed)",
    ),
    Mutant(
        "a_witness_is_noted_and_changes_nothing", "a look raises the revision",
        "wrong revision", PLANNING, "Step(Action.WITNESSED, current, current)",
        "Step(Action.WITNESSED, current, replace(current, rev=current.rev + 1))",
    ),
    Mutant(
        "what_is_not_there_cannot_be_changed", "an absent record is a conflict", "wrong error",
        PLANNING, 'raise NotFoundError(f"there is no record {record_id}")',
        'raise _moved("absent")',
    ),
    Mutant(
        "adopting_keeps_revision_and_times", "adopting stamps its own time", "order by clock",
        PLANNING, "Step(action, current, record, adopt.terms, adopt.sealed)",
        "Step(action, current, replace(record, updated_at=self._commit.at), adopt.terms)",
    ),
    Mutant(
        "adopting_never_brings_a_newer_version_down", "an older version is adopted",
        "wrong revision", PLANNING, "if current is not None and current.rev >= record.rev:",
        "if current is not None and current.rev == record.rev:",
    ),
    Mutant(
        "adopting_refuses_another_text_under_the_same_revision", "a contradiction passes",
        "uniqueness unchecked", PLANNING,
        "if current.rev == record.rev and not same:", "if False:",
    ),
    Mutant(
        "adopting_refuses_another_record_under_a_known_id", "an impostor is adopted",
        "uniqueness unchecked", PLANNING,
        "if current is not None and _identity(current) != _identity(record):", "if False:",
    ),
    Mutant(
        "adopting_does_not_rewrite_what_is_append_only", "an import rewrites an episode",
        "append-only ignored", PLANNING,
        "if current is not None and _rewrites(record, current):", "if False:",
    ),
    Mutant(
        "adopting_where_the_key_is_taken_makes_a_proposal", "two current records in one slot",
        "uniqueness unchecked", PLANNING,
        "record = replace(record, state=State.PROPOSED)", "pass",
    ),
    Mutant(
        "revisions_rise_by_one", "revisions rise by two", "wrong revision", PLANNING,
        "after = replace(after, rev=current.rev + 1,",
        "after = replace(after, rev=current.rev + 2,",
    ),
    Mutant(
        "only_the_newest_value_of_a_key_is_current", "a keyed write supersedes nothing",
        "supersession skipped", PLANNING,
        "current = self._places[place] if place else None", "current = None",
    ),
    Mutant(
        "what_makes_a_key_unique_is_what_its_layer_declares", "every key includes its kind",
        "index in the wrong place", "core/layers.py",
        'kind if layer.key_includes_kind else ""', "kind",
    ),
    Mutant(
        "a_write_that_says_nothing_new_changes_nothing", "the same again is a new version",
        "no-op written", PLANNING,
        "if current.says_the_same(put.content) and state is current.state and not confirms:",
        "if False:",
    ),
    Mutant(
        "a_number_and_a_truth_value_are_not_the_same", "true equals one", "types mixed up",
        "core/record.py", "return same_data and mine == other.content",
        "return mine == other.content",
    ),
    Mutant(
        "later_changes_of_a_commit_see_the_earlier_ones", "changes see only the past",
        "stale view", PLANNING, "self._records[step.subject.id] = step.after", "pass",
    ),
    Mutant(
        "an_append_only_layer_never_changes_a_record", "append-only layers change",
        "rule of the layer ignored", PLANNING,
        "if LAYERS[current.layer].append_only:", "if False:",
    ),
    Mutant(
        "what_was_erased_cannot_be_adopted_again", "the erased come back", "tombstone ignored",
        PLANNING, "or self._view.erased([record.id])):", "):",
    ),
    Mutant(
        "a_receipt_claims_only_what_the_store_declares", "everything is said to be synced",
        "receipt wrong", PLANNING,
        "return Durability.COMMITTED if relaxed else Durability.SYNCED",
        "return Durability.SYNCED", "Sqlite",
    ),
    Mutant(
        "an_id_names_one_record_only", "an id is given out twice", "uniqueness unchecked",
        PLANNING, "if self._records[put.id] is not None:", "if False:",
    ),
    Mutant(
        "sequences_are_gap_free_in_each_stream", "a number is left out", "gap in the sequence",
        "core/chain.py", "seq=head.seq + 1,", "seq=head.seq + 1 + (head.seq == 2),",
    ),
    Mutant(
        "the_chain_of_every_stream_holds", "links do not hold their predecessor",
        "chain not linked", "core/chain.py",
        "hash=_hash(event, head.hash)", "hash=_hash(event, GENESIS)",
    ),
    Mutant(
        "a_digest_says_nothing_without_its_salt", "digests are not salted", "content in the log",
        "core/chain.py", "hashlib.sha256(salt + canonical_bytes(record))",
        "hashlib.sha256(canonical_bytes(record))",
    ),
    Mutant(
        "events_hold_no_content", "the log quotes the text", "content in the log",
        "core/chain.py", "actor=commit.by.name", "actor=record.text",
    ),
    Mutant(
        "times_never_go_back_in_a_stream", "events take the wall clock's word", "order by clock",
        "core/chain.py", "at = commit.at if head.at is None else max(commit.at, head.at)",
        "at = commit.at",
    ),
    Mutant(
        "only_sight_of_the_whole_stream_shows_what_was_erased", "one scope shows a whole stream",
        "reach widened", "core/access.py",
        "grant.scope == root and grant.subtree)", "grant.scope == root)",
    ),
    Mutant(
        "a_key_that_stood_for_something_else_is_refused", "any request fits a key",
        "repeat misunderstood", "stores/receipts.py", "if earlier != request:", "if False:",
    ),
    Mutant(
        "idempotency_keys_belong_to_a_principal", "projects share idempotency keys",
        "owner mixed up", "core/principal.py", "{self.role.value}:{self.name}@{root}",
        "{self.role.value}:{self.name}",
    ),
    Mutant(
        "the_better_match_comes_first", "rare words tell as little as common ones", "ranking",
        "core/bm25.py", "return math.log(1 +", "return 1.0 + 0 * math.log(1 +",
    ),
    Mutant(
        "a_piece_of_a_word_finds_the_word", "the start of a word counts less than its middle",
        "ranking", "core/bm25.py", "PREFIX_WEIGHT: Final = 0.5", "PREFIX_WEIGHT: Final = 0.1",
    ),
)  # fmt: skip
