"""The tests that are not for a store in Postgres, by name or by the beginning of it, and why."""

APART: dict[str, tuple[str, ...]] = {
    "backups are made and restored by the server's own tools": (
        "tests/test_backup.py",
        "tests/test_restore.py",
        "tests/test_restore_refused.py",
        "tests/test_announcing.py::test_a_backup_does_not_tell_who_read_what",
        "tests/test_usage.py::test_counts_are_in_a_backup",
        "tests/tokens/test_keys.py::test_tokens_outlive_the_process_but_not_the_store",
    ),
    "about a database file: its bytes, its mode, a link to it, or a program that changes it": (
        "tests/test_announcing.py::test_a_read_does_not_wait_for_a_writer_to_be_told",
        "tests/test_announcing.py::test_neither_read_nor_write_fails_because_telling_does",
        "tests/test_announcing.py::test_a_notice_that_cannot_be_read_is_as_good_as_absent",
        "tests/test_announcing.py::test_an_erase_is_noticed_whatever_the_last_one_left",
        "tests/test_attacks.py::test_short_words_in_a_log_that_cannot_be_emptied_are_reported",
        "tests/test_attacks.py::test_a_moved_removed_or_replaced_store_takes_no_reads_or_writes",
        "tests/test_attacks.py::test_a_linked_database_is_refused",
        "tests/test_auditing.py::test_a_stranger_stream_is_neither_checked_nor_named",
        "tests/test_auditing.py::test_what_a_chain_cannot_show_an_anchor_does",
        "tests/test_erasure.py::test_a_hundred_canaries_leave_no_byte",
        "tests/test_erasure.py::test_a_line_that_cannot_be_read_does_not_swallow_the_next_tombstone",
        "tests/test_erasure.py::test_a_reader_in_the_way_is_reported_and_a_later_erase_finishes",
        "tests/test_maintaining.py::test_maintenance_empties_the_log_unless_somebody_is_reading",
        "tests/test_opening.py::test_a_new_directory_is_private",
        "tests/test_opening.py::test_files_are_private_in_a_directory_that_is_not",
        "tests/test_opening.py::test_garbage_is_refused_and_left_as_it_is",
        "tests/test_opening.py::test_a_truncated_store_is_refused",
        "tests/test_opening.py::test_another_programs_database_is_not_touched",
        "tests/test_opening.py::test_a_store_from_a_newer_version_is_refused_untouched",
        "tests/test_opening.py::test_a_store_upgraded_under_an_open_handle_is_not_written",
        "tests/test_usage.py::test_recall_waits_for_nobody_who_writes",
        "tests/test_usage.py::test_many_recalls_are_one_write",
        "tests/test_usage.py::test_recall_does_not_depend_on_the_counts",
        "tests/test_usage.py::test_a_lost_table_of_counts_is_made_again",
        "tests/adapters/test_langgraph_checkpointer.py::test_a_deleted_thread_leaves_nothing_on_the",
        "tests/compaction/test_logs.py::test_plain_sql_tells_of_every_compaction",
    ),
    "about what else lies in the directory of a store: keys, and what people wrote for agents": (
        "tests/runtime/test_folder.py",
        "tests/runtime/test_offering.py::test_the_folder_is_read_anew_for_each_run",
        "tests/test_erasure_plan.py::test_a_preview_says_what_the_erase_then_does",
        "tests/test_opening.py::test_a_lost_key_is_not_replaced_while_secrets_need_it",
        "tests/tokens/test_local.py::test_the_owner_finds_a_key_in_the_directory_and_keeps_it",
        "tests/tokens/test_local.py::test_the_first_key_may_come_before_anything_else",
    ),
}
"""Where what SQLite must be shown is the file, Postgres has tests of its own in this folder."""


def reason_for(nodeid: str) -> str:
    """Why a test is left out; empty when it is not."""
    return next((why for why, names in APART.items() if nodeid.startswith(names)), "")
