"""What every session with a Postgres server begins with: how it is reached, and its settings."""

from typing import Final

PATIENCE_SECONDS: Final = 8.0
"""How long the server may take for one statement, unless it is known to be long."""
LOCK_SECONDS: Final = 7.0
GRACE_SECONDS: Final = 1.0
"""How much longer this side waits: the server's own answer says more than silence."""
_CONNECT_SECONDS: Final = 5
WAY: Final = {
    "application_name": "lamina",
    "client_encoding": "UTF8",
    "connect_timeout": _CONNECT_SECONDS,
    # A server that is gone without a word is noticed in 8 seconds, whether we wait or send.
    "keepalives_idle": 2,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 8_000,
}
_SESSION: Final = {
    # Whoever is paused in the middle of a write must not hold up the others for longer than they
    # are willing to wait. What was lost that way is done again.
    "idle_in_transaction_session_timeout": "5s",
    "statement_timeout": f"{PATIENCE_SECONDS:g}s",
    "lock_timeout": f"{LOCK_SECONDS:g}s",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    # What a role or database may have been set to otherwise, and our statements rest on.
    "default_transaction_isolation": "read committed",
    "row_security": "on",
    "standard_conforming_strings": "on",
    "extra_float_digits": "1",
    # To compile a statement takes longer than to run it.
    "jit": "off",
    # Whoever reads by a cursor reads to the end; the server would plan for the first tenth.
    "cursor_tuple_fraction": "1",
}
_ELSEWHERE: Final = "visual c|mingw|windows"
"""Servers that cannot look whether their client is still there."""
_VECTORS: Final = (
    "(select n.nspname::text from pg_catalog.pg_extension e"
    " join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector')"
)
_CHOSEN: Final = ", ".join(
    f"pg_catalog.set_config('{name}', '{value}', false)" for name, value in _SESSION.items()
)
SET_UP: Final = (
    "select pg_catalog.pg_is_in_recovery(), pg_catalog.set_config('search_path',"
    " pg_catalog.concat_ws(', ', pg_catalog.quote_ident($1), 'pg_catalog',"
    f" pg_catalog.quote_ident({_VECTORS})), false), {_CHOSEN},"
    # A server may be told to acknowledge what no disk has; a commit that is to be synced must not.
    " case pg_catalog.current_setting('synchronous_commit') when 'off' then"
    " pg_catalog.set_config('synchronous_commit', 'on', false) end,"
    # Known to servers from version 17 on; what takes long would be ended in the middle each time.
    " case when pg_catalog.current_setting('transaction_timeout', true) is not null then"
    " pg_catalog.set_config('transaction_timeout', '0', false) end,"
    f" case when pg_catalog.version() !~* '{_ELSEWHERE}' then"
    " pg_catalog.set_config('client_connection_check_interval', '2s', false) end"
)
SETTING: Final = "select set_config($1, $2, true)"
"""Chooses a setting for one transaction."""
FENCE: Final = (
    "select set_config('lamina.streams', $1, true), set_config('lamina.scopes', $2, true)"
)
