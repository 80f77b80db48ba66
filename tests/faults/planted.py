"""Deliberate bugs, and the fault that must notice each of them."""

from dataclasses import dataclass

CONNECTIONS = "stores/sqlite/connections.py"
TOGETHER = "stores/together.py"
POOL = "stores/sqlite/pool.py"
WRITING = "stores/sql/writing.py"
STORE = "stores/sqlite/store.py"
MIGRATIONS = "stores/sqlite/migrations.py"
LOCKS = "stores/sqlite/locks.py"
DRIVER = "stores/sqlite/driver.py"
CARE = "stores/sqlite/care/"
PLANNING = "core/planning.py"
POSTGRES = "stores/postgres/"
REDIS = "stores/redis/"

DAMAGES = 200
"""Enough to do all the damage that there is, once."""
_COMMIT_HERE = 'connection.execute("commit"); connection.execute("begin immediate"); '
"""Ends the transaction in the middle of what belongs together."""


@dataclass(frozen=True)
class Planted:
    """A change of the source that breaks one promise."""

    name: str
    sign: str
    """A pattern that tells this bug's violations from others."""
    fault: str
    size: int
    """How much of the fault suffices to notice it."""
    edits: tuple[tuple[str, str, str], ...]
    """File below `src/lamina`, what occurs there exactly once, and what takes its place."""
    operations: tuple[str, ...] = ()
    """For kills: only these, where the bug is."""


def _one(name: str, sign: str, fault: str, size: int, *edit: str, operations: str = "") -> Planted:
    file, old, new = edit
    return Planted(name, sign, fault, size, ((file, old, new),), tuple(operations.split()))


PLANTED = (
    # The first few are quick to show and run every time.
    _one(
        "compare-and-set is ignored",
        "increments were acknowledged and", "writers", 8, PLANNING,
        "if expect is not None and expect != current.rev:", "if expect is not None and False:",
    ),
    Planted(
        "a write is acknowledged before it is committed",
        # Under load the next write may come before the late commit, and find it in its way.
        "was acknowledged and is (not in the log|lost)|busy in another thread", "kills", 8,
        (
            (
                CONNECTIONS, '            connection.execute("commit")\n',
                "            import threading as late\n"
                '            self._late = late.Timer(0.02, connection.execute, ("commit",))\n'
                "            self._late.start()\n",
            ),
            (
                CONNECTIONS, "    def _check_open(self) -> None:\n",
                "    def _check_open(self) -> None:\n"
                '        if getattr(self, "_late", None) is not None:\n'
                "            self._late.join()\n",
            ),
        ),
        ("remember", "supersede", "batch"),
    ),
    _one(
        "the event has a transaction of its own",
        "chain|version|events", "kills", 40, WRITING,
        "            self.connection.executemany(sql, waiting)\n",
        "            connection = self.connection\n"
        f"            if 'into event' in sql:\n                {_COMMIT_HERE}\n"
        "            connection.executemany(sql, waiting)\n",
        operations="remember supersede edit",
    ),
    _one(
        "the index entry has a transaction of its own",
        "index|chain|events", "kills", 40, WRITING,
        "            self.connection.dialect.add_words(self.connection, self.words)\n",
        f"            connection = self.connection; {_COMMIT_HERE}\n"
        "            connection.dialect.add_words(connection, self.words)\n",
        operations="remember batch",
    ),
    Planted(
        "the tombstone is written after the commit",
        "has no tombstone", "kills", 40,
        (
            (STORE, "self._ledger.add(erased, commit.at)", "pass"),
            (
                STORE,
                "        return self._connections.write(lambda c: self._run(c, commit),"
                " synced=synced)\n",
                "        from lamina.core.changes import Erase\n\n"
                "        done = self._connections.write(lambda c: self._run(c, commit))\n"
                "        gone = [one.id for one in commit.changes if isinstance(one, Erase)]\n"
                "        if gone:\n"
                "            self._ledger.add(gone, commit.at)\n"
                "        return done\n",
            ),
        ),
        ("tombstone",),
    ),
    _one(
        "a migration and its number are two transactions",
        "already exists|not a Lamina store", "kills", 60, MIGRATIONS,
        "            connection.execute(sql)\n",
        f"            connection.execute(sql); {_COMMIT_HERE}\n",
        operations="open migrate",
    ),
    _one(
        "the index is rebuilt outside a transaction",
        "word|index", "kills", 30, f"{CARE}words.py",
        '    connection.execute("drop table if exists word")\n',
        f'    connection.execute("drop table if exists word"); {_COMMIT_HERE}\n',
        operations="reindex",
    ),
    _one(
        "several records are committed one by one",
        "records of one commit are there", "kills", 30, "memory.py",
        "        receipt = self._path.commit(puts, idempotency_key)\n",
        "        from dataclasses import replace as joined\n\n"
        "        done = [self._path.commit([one], idempotency_key) for one in puts]\n"
        "        every = tuple(outcome for one in done for outcome in one.outcomes)\n"
        "        receipt = joined(done[-1], outcomes=every)\n",
        operations="batch",
    ),
    _one(
        "an import commits line by line",
        "records of one commit are there", "kills", 30, "exchange.py",
        "        receipt = self.path.commit(adopts)\n",
        "        done = [self.path.commit([adopt]) for adopt in adopts]\n"
        "        every = tuple(outcome for one in done for outcome in one.outcomes)\n"
        "        receipt = replace(done[-1], outcomes=every)\n",
        operations="import",
    ),
    _one(
        "a file is overwritten in place",
        "the exported file is neither", "kills", 60, "durable.py",
        "fresh = path.with_name(f\".{path.name}.{os.urandom(6).hex()}\")",
        "path.unlink(missing_ok=True); fresh = path",
        operations="export",
    ),
    _one(
        "the end of an attempt is two commits",
        "never ended|ends|episodes of that|is active", "orchestrator", 25, "orchestration/books.py",
        "                self._path.commit(self._ending(task, begun, end))\n",
        "                import time\n\n"
        "                for one in self._ending(task, begun, end):\n"
        "                    self._path.commit([one])\n"
        "                    time.sleep(0.02)\n",
    ),
    _one(
        "what failed is tried again",
        "was tried again though it had failed", "orchestrator", 2, "orchestration/choosing.py",
        "    left = [one for one in approaches if one not in past.failed]\n",
        "    left = [one for one in approaches if past.failures[one] < 2]\n",
    ),
    _one(
        "transactions begin without the write lock",
        "busy", "stops", 5, CONNECTIONS,
        'connection.execute("begin immediate")', 'connection.execute("begin")',
    ),
    _one(
        "a busy store is an error at once",
        "busy", "stops", 5, DRIVER,
        "connection.set_busy_timeout(BUSY_SECONDS * 1000)", "connection.set_busy_timeout(0)",
    ),
    _one(
        "connections are left open over a fork",
        "child|malformed|lost|never ended", "forks", 8, POOL,
        "    before=_for_all(Pool.before_fork),\n    after_in_parent=_for_all(Pool.after_fork),\n",
        "",
    ),
    Planted(
        "the schema is made by whoever comes",
        "number [0-9]+: ", "first_open", 2,
        (
            (LOCKS, "if self._file.take(fcntl.LOCK_EX):", "if False:"),
            (MIGRATIONS, 'if int(one(connection, "pragma user_version")) < number:', "if number:"),
        ),
    ),
    _one(
        "synchronous is NORMAL",
        "was acknowledged and is lost", "cuts", 100, POOL,
        'mode = "full" if synced else "normal"', 'mode = "normal" if synced else "normal"',
    ),
    _one(
        "a new name in a directory is not synced",
        "the store is gone|is missing", "cuts", 100, "durable.py",
        "    handle = os.open(folder, os.O_RDONLY)\n    try:\n        os.fsync(handle)\n",
        "    handle = os.open(folder, os.O_RDONLY)\n    try:\n        pass\n",
    ),
    _one(
        "the content of a replaced file is not synced",
        "is not whole", "cuts", 100, "durable.py",
        "            os.fsync(file.fileno())\n", "",
    ),
    _one(
        "a tombstone is not synced",
        "has no tombstone", "cuts", 100, "stores/ledger.py",
        "                os.fsync(handle)\n", "                pass\n",
    ),
    _one(
        "flush does nothing",
        "was acknowledged and is lost", "cuts", 100, STORE,
        "connection.execute(_TOUCH).fetchall()", "None",
    ),
    _one(
        "a commit that failed is reported as done",
        "acknowledged", "calls", 100, TOGETHER,
        "                request.error = shared\n", "                pass\n",
    ),
    _one(
        "streams are not locked",
        "scribe-|counted|not in the log", "server_pauses", 2, f"{POSTGRES}holding.py",
        '    names += sorted(f"stream:{name}" for name in streams)\n', "",
    ),
    _one(
        "a commit that nobody answered counts as done",
        "was acknowledged and is not in the log", "server_cuts", 14, f"{POSTGRES}connections.py",
        "            connection.commit()\n",
        "            with suppress(DriverError):\n                connection.commit()\n",
    ),
    _one(
        "a commit that nobody answered is done again",
        # What has an id already cannot be written again, and that is an error of its own.
        "alone .*(was written 2 times|there is a record)", "server_cuts", 1,
        f"{POSTGRES}connections.py",
        "certain = not self._is_committing or is_undone(error)", "certain = True",
    ),
    _one(
        "the server syncs nothing",
        "was acknowledged and is not in the log", "server_kills", 12, f"{POSTGRES}connections.py",
        "relaxed = not any(request.synced for request in batch)", "relaxed = True",
    ),
    _one(
        "idempotency keys are not kept",
        "was written 2 times", "server_cuts", 14, "stores/sql/commits.py",
        "        if owner is not None:\n            note(", "        if False:\n            note(",
    ),
    _one(
        "a feed goes on by time",
        "heard [0-9]+ of", "server_pauses", 2, "stores/sql/feed.py",
        "    spans = {(name, sid): seq for _, name, seq, sid in islice(merge(*fresh), limit)}\n",
        '    said = "select e.at from event e join stream s on s.sid = e.sid"\n'
        '    said += " where s.name = ? and e.seq = ?"\n'
        "    times = [one(connection, said, place) for place in after.items() if place[1]]\n"
        '    late = [one for one in merge(*fresh) if one[0] > max(times, default="")][:limit]\n'
        "    spans = {(name, sid): seq for _, name, seq, sid in late}\n"
        "    firsts = {name: seq - 1 for _, name, seq, _ in reversed(late)}\n"
        "    after = {**after, **firsts}\n",
    ),
    _one(
        "what somebody left half done stays so",
        "of 3 parts", "hot_outages", 4, f"{REDIS}holding.py",
        "        if is_decided:\n", "        if False:\n",
    ),
    _one(
        "a request that waits does not hold its key",
        "was written 2 times", "hot_outages", 24, f"{REDIS}commits.py",
        '*(() if key is None else (f"k:{key}",))', "",
    ),
    _one(
        "a memory that was lost gives its numbers again",
        "heard .* times|did not hear|behind", "hot_outages", 24, f"{REDIS}scripts/claim.lua",
        "string.format('%d%06d', time[1], time[2])", "'1'",
    ),
    _one(
        "the doctor does not compare the index with the records",
        "speaks up", "damage", DAMAGES, "stores/sql/care/words.py",
        "if not _right(look, record, (sid, length, body)):", "if False:",
    ),
    _one(
        "the doctor does not ask whether the trees are in order",
        "nobody noticed|should be derived", "damage", DAMAGES, f"{CARE}pages.py",
        "    lines = _complaints(connection)\n", "    lines = _FINE\n",
    ),
    _one(
        "the doctor does not compare the newest hash",
        "speaks up", "damage", DAMAGES, "stores/sql/care/chains.py",
        "elif found.hash != digest.hex():", "elif False:",
    ),
    _one(
        "the doctor repairs from records that are damaged",
        "seed", "damage", DAMAGES, "stores/sql/care/fixing.py",
        "    if broken:\n        raise", "    if False:\n        raise",
    ),
)  # fmt: skip
