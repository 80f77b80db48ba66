"""Looking after a store through a handle: settings, copies, checks, indexes, and its end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamina.core import settings
from lamina.errors import ForbiddenError
from lamina.reading import Asked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

    from lamina.announcing import Announcer
    from lamina.beside import Beside
    from lamina.core.access import Reach
    from lamina.core.anchor import Anchor
    from lamina.core.filters import Filter
    from lamina.core.principal import Principal
    from lamina.embedding import Vectors
    from lamina.reading import ReadPath
    from lamina.results import BackupReport, MaintenanceReport, Reindexed, VectorHealth
    from lamina.stores.base import Finding, Store
    from lamina.stores.questions import Lot
    from lamina.vault import Vault


class Keeping:
    """The part of a handle that is about the store itself."""

    store: Store
    principal: Principal
    reach: Reach
    _vault: Vault
    _announcer: Announcer
    _vectors: Vectors
    _beside: Beside | None
    _overrides: Mapping[str, str]

    if TYPE_CHECKING:

        @property
        def _reads(self) -> ReadPath: ...

    def census(
        self, where: Mapping[str, Any] | Filter | None = None, *, scope: str | None = None
    ) -> list[Lot]:
        """How many memories there are, and their tokens, by scope, layer and state.

        Only current ones unless the filter names a state.
        """
        return self._reads.census(Asked(where, scope))

    def settings(self) -> dict[str, str]:
        """Every setting with what holds here.

        That is what environment or `config.toml` say where they may, else what was chosen for the
        store, else the default.
        """
        return settings.effective({**self.store.settings(), **self._overrides})

    def configure(self, name: str, value: str | None) -> None:
        """Choose a setting for everyone on this store; `None` goes back to the default."""
        self._check_whole("change the store's settings")
        default = settings.setting_named(name).default
        checked = default if value is None else settings.check_setting(name, value)
        if name == settings.EMBEDDER:
            self._vectors.check(checked)
        if (name, checked) == (settings.ENGINE, settings.LANCE):
            from lamina.indexes import lance

            lance.check()
        self.store.configure(name, None if value is None else checked)
        self._announcer.ask_again()
        if self._beside is not None:
            self._beside.ask_again()
        if name == settings.EMBEDDER:
            self._vectors.change()

    def vectors(self) -> VectorHealth:
        """How far the vectors of the store have come, and what is in their way."""
        self._check_whole("look at the vectors of the store")
        return self._vectors.health()

    def catch_up(self, on_progress: Callable[[float], None] | None = None) -> str | None:
        """Make the vectors that wait, here and now, instead of in the background.

        Returns what kept it from making them all, or nothing.
        """
        return self._vectors.catch_up(on_progress or (lambda share: None))

    def reindex(self, *, on_progress: Callable[[float], None] | None = None) -> Reindexed:
        """Build the keyword index anew, and make every vector that is missing.

        An embedder that was changed takes over once all its vectors are made.
        """
        from lamina import maintaining

        self._check_whole("index the store anew")
        return maintaining.reindex(self.store, self._vectors, on_progress or (lambda share: None))

    def backup(
        self, path: str | Path, *, on_progress: Callable[[float], None] | None = None
    ) -> BackupReport:
        """Write a verified copy of the whole store into one new file, while everyone works on.

        The key to the secrets is not in it. `lamina.restore` makes a store of it again.
        """
        self._check_whole("back up the store")
        return self.store.backup(Path(path), on_progress or (lambda share: None))

    def check(self, *, on_progress: Callable[[float], None] | None = None) -> list[Finding]:
        """Look over the store and the key to its secrets, without changing anything."""
        from lamina import maintaining

        # What it finds is about everybody's records: how many there are, and which are damaged.
        self._check_whole("look over the store")
        tell = on_progress or (lambda share: None)
        return maintaining.findings(self.store, self._vault, self._vectors, tell)

    def anchor(self) -> Anchor:
        """How far the log has come, to be kept away from the store and shown to `verify` later."""
        from lamina import auditing

        return auditing.anchor(self.store, self.reach)

    def verify(self, anchor: Anchor | str | None = None) -> list[Finding]:
        """Check that the log is whole and every memory is what it recorded.

        With an anchor, or its text, also that nothing behind it was cut off or rewritten since.
        """
        from lamina import auditing

        return auditing.verify(self.store, self.reach, anchor)

    def maintain(self, *, dry_run: bool = False, confirm: bool = False) -> MaintenanceReport:
        """Drop old versions as the settings `history.LAYER` say, and tidy the store.

        Nothing of the kind happens by itself. A dry run only tells; dropping over 5 % of all
        versions needs `confirm`.
        """
        from lamina import maintaining

        self._check_whole("maintain the store")
        return maintaining.maintain(self.store, dry_run=dry_run, confirm=confirm)

    def flush(self) -> None:
        """Make everything acknowledged as durable as this store can."""
        self.store.flush()

    def close(self) -> None:
        """Release the store; handles made from this one are closed with it."""
        self._vectors.stop()
        if self._beside is not None:
            self._beside.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _check_whole(self, what: str) -> None:
        if not self.principal.is_owner:
            raise ForbiddenError(
                f"a handle confined to a project or a role does not {what}",
                remedy="Use the handle that lamina.open(DIRECTORY) returned",
            )
