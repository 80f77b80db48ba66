"""`LaminaCheckpointer`: the state of LangGraph's threads in Lamina's working memory.

Each call that writes is one commit, so that a thread resumes after whatever kills a process with
the last checkpoint that was acknowledged. Nothing of it is recalled; deleting a thread erases it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)

from lamina.adapters.langgraph import threads
from lamina.adapters.langgraph.awaited import Awaited
from lamina.adapters.langgraph.filters import Wanted
from lamina.adapters.langgraph.threads import CHECKPOINT, WRITE, Threads
from lamina.errors import InvalidInputError
from lamina.layers.face import settled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import (
        ChannelVersions,
        Checkpoint,
        CheckpointMetadata,
        PendingWrite,
    )
    from langgraph.checkpoint.serde.base import SerializerProtocol

    from lamina import Memory
    from lamina.core.draft import Draft
    from lamina.core.record import Record

_STRATEGIES: Final = ("keep_latest", "delete")
_DELTAS: Final = "counters_since_delta_snapshot"


class LaminaCheckpointer(Awaited, BaseCheckpointSaver[int]):
    """A `BaseCheckpointSaver` over a handle of Lamina: threads belong to the handle's own scope."""

    def __init__(self, memory: Memory, *, serde: SerializerProtocol | None = None) -> None:
        super().__init__(serde=serde)
        self.memory = memory
        self._threads = Threads(memory)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that is named, or the newest of its thread and namespace."""
        thread, space, checkpoint = _named(config)
        if checkpoint:
            found = self._threads.one(threads.checkpoint_key(thread, space, checkpoint))
        else:
            found = self._threads.latest(thread, space)
        return None if found is None else self._tuple(found)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  # LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, newest first; without a config those of all threads."""
        wanted = Wanted(filter)
        earlier = get_checkpoint_id(before) if before else None
        only = get_checkpoint_id(config) if config else None
        left = limit
        for record in self._records(config):
            if left is not None and left <= 0:
                return
            name = record.data["checkpoint"]
            if (only and name != only) or (earlier and name >= earlier):
                continue
            found = self._tuple(record)
            if wanted.holds(found.metadata):
                left = None if left is None else left - 1
                yield found

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, whole."""
        thread, space, parent = _named(config)
        about = get_checkpoint_metadata(config, metadata)
        name = checkpoint["id"]
        data = {
            "thread": thread, "space": space, "checkpoint": name, "parent": parent,
            "run": str(about["run_id"]) if about.get("run_id") else None,
        }  # fmt: skip
        payload = [self.serde.dumps_typed(checkpoint), self.serde.dumps_typed(about)]
        key = threads.checkpoint_key(thread, space, name)
        self._threads.write(threads.drafts(CHECKPOINT, key, data, payload))
        return _config(thread, space, name)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task wrote; of a write that is there already, the first stays.

        Errors, interrupts and the like have a place each, where the last one stays.
        """
        of = threads.checkpoint_key(*_named(config))
        made = [
            self._write_draft(config, of, (task_id, task_path, at), write)
            for at, write in enumerate(writes)
        ]

        def attempt() -> None:
            # The same task may write from another process.
            there = self._threads.there([str(drafts[0]["key"]) for _, drafts in made])
            self._threads.write(
                [
                    draft
                    for index, drafts in made
                    for draft in drafts
                    if index < 0 or drafts[0]["key"] not in there
                ]
            )

        settled(attempt)

    def delete_thread(self, thread_id: str) -> None:
        """Erase all checkpoints and writes of a thread."""
        everything = self._threads.below(None, threads.thread_key(str(thread_id)))
        self._threads.erase(one.id for one in everything)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Erase what some runs made."""
        made = self._threads.of_runs([str(one) for one in run_ids])
        self._threads.erase(one.id for record in made for one in self._with_writes(record))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread with all its checkpoints and writes."""
        source, name = threads.thread_key(str(source_thread_id)), str(target_thread_id)
        target = threads.thread_key(name)
        made: list[Draft] = []
        for kind in (CHECKPOINT, WRITE):
            for record in self._threads.below(kind, source):
                key = target + str(record.key).removeprefix(source)
                made += self._threads.copied(record, key, {"thread": name})
        self._threads.write(made)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Erase all but the newest checkpoint of each namespace, or all (`delete`).

        What a channel that is kept as changes needs to be put together again stays as well.
        """
        if strategy not in _STRATEGIES:
            raise InvalidInputError(
                f"`strategy` is not known: {strategy!r:.40}", remedy="Use keep_latest or delete"
            )
        for thread in map(str, thread_ids):
            # Listed before it is decided: what a run adds in the meantime is not among it.
            everything = self._threads.below(None, threads.thread_key(thread))
            owners = {one.id: _checkpoint_of(one) for one in everything}
            kept = self._needed(thread) if strategy == "keep_latest" else set()
            self._threads.erase(one for one, owner in owners.items() if owner not in kept)

    def get_next_version(self, current: Any, channel: None) -> Any:
        """The version after another: a number, or in a thread of other savers a text of theirs."""
        if isinstance(current, str):
            number, dot, rest = current.partition(".")
            return f"{int(number) + 1:0{len(number)}}{dot}{rest}"
        return 1 if current is None else current + 1

    # -- inside

    def _records(self, config: RunnableConfig | None) -> Iterator[Record]:
        if config and config["configurable"].get("checkpoint_ns") is not None:
            thread, space, _ = _named(config)
            return self._threads.below(CHECKPOINT, threads.space_key(thread, space))
        beginning = threads.thread_key(_named(config)[0]) if config else ""
        found = list(self._threads.below(CHECKPOINT, beginning))
        return iter(sorted(found, key=lambda one: str(one.data["checkpoint"]), reverse=True))

    def _tuple(self, record: Record) -> CheckpointTuple:
        data = record.data
        state, about = self._threads.payload(record)
        parent = data.get("parent")
        return CheckpointTuple(
            config=_config(data["thread"], data["space"], data["checkpoint"]),
            checkpoint=self.serde.loads_typed(state),
            metadata=self.serde.loads_typed(about),
            parent_config=_config(data["thread"], data["space"], parent) if parent else None,
            pending_writes=[*self._pending(record)],
        )

    def _pending(self, record: Record) -> Iterator[PendingWrite]:
        for one in sorted(self._threads.below(WRITE, f"{record.key}//"), key=_order):
            value = self.serde.loads_typed(self._threads.payload(one)[0])
            yield one.data["task"], one.data["channel"], value

    def _write_draft(
        self,
        config: RunnableConfig,
        of: str,
        task: tuple[str, str, int],
        write: tuple[str, Any],
    ) -> tuple[int, Sequence[Draft]]:
        thread, space, checkpoint = _named(config)
        (task_id, path, at), (channel, value) = task, write
        index = WRITES_IDX_MAP.get(channel, at)
        data = {
            "thread": thread, "space": space, "checkpoint": checkpoint,
            "task": task_id, "path": path, "channel": channel, "index": index,
        }  # fmt: skip
        key = threads.write_key(of, task_id, index)
        made = threads.drafts(WRITE, key, data, [self.serde.dumps_typed(value)])
        if index >= 0:
            made[0]["expect"] = 0
        return index, made

    def _with_writes(self, record: Record) -> Iterator[Record]:
        yield record
        yield from self._threads.below(None, f"{record.key}//")

    def _needed(self, thread: str) -> set[str]:
        """The keys of the checkpoints that pruning keeps."""
        newest: dict[str, tuple[str, str]] = {}
        for one in self._threads.below(CHECKPOINT, threads.thread_key(thread)):
            found = (str(one.data["checkpoint"]), str(one.key))
            newest[one.data["space"]] = max(found, newest.get(one.data["space"], ("", "")))
        return {key for _, last in newest.values() for key in self._chain(last)}

    def _chain(self, key: str) -> Iterator[str]:
        """A checkpoint, and those before it back to where each channel of changes is whole."""
        record = self._threads.one(key)
        missing: set[str] | None = None
        while record is not None:
            yield str(record.key)
            found = self._tuple(record)
            needed = {*found.metadata.get(_DELTAS, ())} if missing is None else missing
            missing = needed - {*found.checkpoint["channel_values"]}
            if not missing or found.parent_config is None:
                return
            record = self._threads.one(threads.checkpoint_key(*_named(found.parent_config)))


def _named(config: RunnableConfig) -> tuple[str, str, str]:
    """Thread, namespace and checkpoint that a config names; the last may be empty."""
    told = config["configurable"]
    if "thread_id" not in told:
        raise InvalidInputError(
            "`config` names no thread_id",
            remedy='Write {"configurable": {"thread_id": "…"}}',
        )
    return str(told["thread_id"]), told.get("checkpoint_ns") or "", get_checkpoint_id(config) or ""


def _config(thread: str, space: str, checkpoint: str) -> RunnableConfig:
    return {
        "configurable": {
            "thread_id": thread, "checkpoint_ns": space, "checkpoint_id": checkpoint,
        }
    }  # fmt: skip


def _order(write: Record) -> tuple[str, str, int]:
    return writes_sort_key(write.data["path"], write.data["task"], write.data["index"])


def _checkpoint_of(record: Record) -> str:
    """The key of the checkpoint that a record belongs to."""
    return "//".join(str(record.key).split("//")[:3])
