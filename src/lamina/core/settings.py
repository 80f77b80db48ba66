"""Settings that belong to the store, so that every process on it behaves alike."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from lamina.core import embedder_spec, retention, timekeeping
from lamina.core.layers import LAYERS
from lamina.errors import InvalidInputError

READS: Final = "events.reads"
EMBEDDER: Final = "recall.embedder"
FLOOR: Final = "recall.floor"
ENGINE: Final = "recall.engine"
LIVE: Final = "files.live"
BUILTIN: Final = "builtin"
LANCE: Final = "lance"
PROVIDER: Final = "recall.provider"
USE: Final = "recall.use"
HALF_LIFE: Final = "stale.half_life_days"
HYBRID: Final = "hybrid"
KEYWORD: Final = "keyword"
LARGEST_FILE: Final = "index.max_bytes"
MEMORY_PATH: Final = "memory.path"
MEMORY_CHARS: Final = "memory.max_chars"
SESSION_PATH: Final = "session.path"
SESSION_DAYS: Final = "session.retain_days"
EPISODE_DAYS: Final = "episode.retain_days"
COMPACT_TOKENS: Final = "compaction.threshold_tokens"
COMPACT_KEEP: Final = "compaction.keep_recent"
SUMMARY: Final = "compaction.summary"
BY_MODEL: Final = "model"
FLUSH: Final = "flush.enabled"
FLUSH_TOKENS: Final = "flush.threshold_tokens"
LOG_AUTO: Final = "log.auto"
LOG_TAIL: Final = "log.tail"
LOG_BYTES: Final = "log.compact_bytes"
LOG_ENTRIES: Final = "log.compact_entries"
MAX_ITEMS: Final = "project.max_items"
PARTITION_AT: Final = "project.partition_at"
AUTO_PROMOTION: Final = "promotion.auto"
PROMOTION_AGENTS: Final = "promotion.agents"
SPLIT: Final = "context.split"
LEARN: Final = "context.learn"
TOOL_RESULTS: Final = "context.keep_tool_results"
MODEL_URL: Final = "model.url"
MODEL_NAME: Final = "model.name"
MODEL_KEY: Final = "model.key_env"
MODEL_SECONDS: Final = "model.timeout_seconds"
DAY_TOKENS: Final = "model.tokens_per_day"
JOB_TOKENS: Final = "model.tokens_per_job"
PROPOSE_FACTS: Final = "propose.facts"
PROPOSE_LESSONS: Final = "propose.lessons"
OFF: Final = "off"
_LARGEST_FILE: Final = 8_000_000
_FOLDER: Final = "[projects/<project>/]agents/<agent>/"
_MANY: Final = 1_000_000_000
_DAYS: Final = 36_500
_ADDRESS: Final = re.compile(r"https?://[^\s@?#/]+(?:/[^\s@?#]*)?")
_MODEL: Final = re.compile(r"[\w.:/@+-]{1,200}")
_KEY_VARIABLE: Final = re.compile(r"LAMINA_[A-Z0-9_]{1,60}|[A-Z][A-Z0-9_]{0,60}_API_KEY")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its choices, the first of which is the default, and what it is for."""

    name: str
    choices: tuple[str, ...]
    meaning: str
    form: str = ""
    """What else it can be, in words; nothing else unless it says so."""
    check: Callable[[str], str] | None = None
    """Returns a value of that form as it is to be kept, or says what is wrong with it."""
    per_process: bool = False
    """Whether environment and `config.toml` may say otherwise: what only one process notices."""

    @property
    def default(self) -> str:
        """What holds while nobody has chosen."""
        return self.choices[0]

    @property
    def is_fixed(self) -> bool:
        """Whether there is nothing to choose: it tells how things are."""
        return len(self.choices) == 1 and self.check is None

    @property
    def possible(self) -> str:
        """Everything that it can be, for people."""
        return ", ".join(self.choices) + (f", or {self.form}" if self.form else "")


def _history(layer: str) -> Setting:
    name = retention.HISTORY + layer
    choices = (retention.declared(LAYERS[layer]), retention.ALL, retention.NONE)
    return Setting(
        name, tuple(dict.fromkeys(choices)),
        f"how many earlier versions stay in the layer `{layer}`, and for how long",
        retention.FORM, partial(retention.check_keep, name),
    )  # fmt: skip


def _check_floor(value: str) -> str:
    try:
        floor = float(value)
    except ValueError:
        floor = -1.0
    if not 0 <= floor <= 1:
        raise InvalidInputError(
            f"`{FLOOR}` cannot be {value!r:.40}", remedy="Use auto, off, or a number from 0 to 1"
        )
    return f"{floor:g}"


def _check_number(name: str, least: int, most: int, value: str, *, also: str = "") -> str:
    if value.isascii() and value.isdigit() and least <= int(value[:12]) <= most:
        return str(int(value))
    raise InvalidInputError(
        f"`{name}` cannot be {value!r:.40}", remedy=f"Use {also}a number from {least:,} to {most:,}"
    )


def _check_split(value: str) -> str:
    shares = [int(one) if one.isascii() and one.isdigit() else -1 for one in value[:40].split("/")]
    if len(shares) == 3 and min(shares) >= 0 and sum(shares) == 100:
        return "/".join(map(str, shares))
    raise InvalidInputError(
        f"`{SPLIT}` cannot be {value!r:.40}", remedy="Use three shares that make 100, as 40/40/20"
    )


def _number(name: str, default: int, meaning: str, *, most: int = _MANY, **more: Any) -> Setting:
    """A setting that is a whole number."""
    form = f"a number from 1 to {most:,}"
    return Setting(
        name, (str(default),), meaning, form, partial(_check_number, name, 1, most), **more
    )


def _days(name: str, meaning: str) -> Setting:
    """A setting that is a number of days, or for ever."""
    return Setting(
        name, ("30", retention.ALL), meaning, "a number of days",
        partial(_check_number, name, 1, _DAYS),
    )  # fmt: skip


def _of_the_designs() -> tuple[Setting, ...]:
    """What the source designs let one choose, with their defaults."""
    return (
        Setting(PROVIDER, (HYBRID, KEYWORD),
                "whether recall compares meaning as well as words, or words alone",
                per_process=True),
        Setting(MEMORY_PATH, (f"{_FOLDER}MEMORY.md",),
                "where an agent's long-term memory is a file; fixed"),
        _number(MEMORY_CHARS, 50_000, "how many characters the entries of MEMORY.md have at most"),
        Setting(SESSION_PATH, (f"{_FOLDER}sessions/",),
                "where an agent's transcripts are files; fixed"),
        _days(SESSION_DAYS, "after how many silent days maintenance archives a session"),
        _days(EPISODE_DAYS, "after how many days maintenance archives an episode"),
        _number(COMPACT_TOKENS, 100_000, "at how many tokens a session is compacted",
                per_process=True),
        _number(COMPACT_KEEP, 10, "how many messages compaction leaves as they are",
                per_process=True),
        Setting(FLUSH, ("on", "off"), "whether what matters is kept before compaction",
                per_process=True),
        _number(FLUSH_TOKENS, 80_000, "at how many tokens it is kept",
                per_process=True),
        Setting(LOG_AUTO, ("on", "off"), "whether an agent's actions are logged by themselves",
                per_process=True),
        _number(LOG_TAIL, 20, "how many entries of the log are shown, and put before a model",
                most=10_000, per_process=True),
        _number(LOG_BYTES, 50_000, "at how many bytes a log is compacted"),
        _number(LOG_ENTRIES, 100, "at how many entries a log is compacted"),
        _number(MAX_ITEMS, 1_000, "how many items a project's tier holds before some are evicted"),
        Setting(AUTO_PROMOTION, ("off", "propose", "on"),
                "whether maintenance makes marked notes, and what several agents learned,"
                " project knowledge; or only proposes it"),
        _number(PROMOTION_AGENTS, 3, "how many agents must have learned the same for that",
                most=1_000),
        Setting(SPLIT, ("40/40/20",), "how the tokens of a context go to task, project and global",
                "three shares that make 100", _check_split, per_process=True),
        Setting(LEARN, ("off", "on"), "whether that split follows what turns out to be used",
                per_process=True),
        _number(TOOL_RESULTS, 5, "how many results of tools stay whole in a context",
                per_process=True),
    )  # fmt: skip


def _check_address(value: str) -> str:
    if _ADDRESS.fullmatch(value[:500]) and len(value) <= 500:
        return value.rstrip("/")
    # It is not shown: people put passwords into addresses.
    raise InvalidInputError(
        f"`{MODEL_URL}` cannot be that",
        remedy="Write it as http://HOST:PORT/v1 or https://HOST/v1, without user and password",
    )


def _check_model(value: str) -> str:
    if _MODEL.fullmatch(value):
        return value
    raise InvalidInputError(
        f"`{MODEL_NAME}` cannot be {value!r:.40}", remedy="Name a model as its server does"
    )


def _check_variable(value: str) -> str:
    if _KEY_VARIABLE.fullmatch(value):
        return value
    raise InvalidInputError(
        f"`{MODEL_KEY}` cannot be {value!r:.40}",
        remedy="Name a variable that starts with LAMINA_ or ends in _API_KEY, not the key itself",
    )


def _tokens(name: str, default: int, meaning: str) -> Setting:
    """A setting that is a bound on tokens, or none."""
    return Setting(
        name, (str(default), OFF), meaning, f"a number from 1 to {_MANY:,}",
        partial(_check_number, name, 1, _MANY, also=f"{OFF}, or "),
    )  # fmt: skip


def _of_models() -> tuple[Setting, ...]:
    """Which model may be asked, for how much, and what it may propose."""
    return (
        Setting(MODEL_URL, (OFF,), "where a model that chats answers; elsewhere than on this"
                " machine only by the environment", "an address as http://HOST:PORT/v1",
                _check_address, per_process=True),
        Setting(MODEL_NAME, (OFF,), "which model is asked there", "the name that its server knows",
                _check_model, per_process=True),
        Setting(MODEL_KEY, ("LAMINA_MODEL_KEY",), "the environment variable that holds the key"
                " of that service", "a name that starts with LAMINA_ or ends in _API_KEY",
                _check_variable, per_process=True),
        _number(MODEL_SECONDS, 120, "how long a model may take to answer", most=3_600,
                per_process=True),
        _tokens(DAY_TOKENS, 2_000_000, "how many tokens of models a project may use in a day"),
        _tokens(JOB_TOKENS, 500_000, "how many tokens of models one piece of work may use"),
        Setting(SUMMARY, ("extracted", BY_MODEL),
                "who words the summary of a log or session: rules alone, or a model where it can"),
        Setting(PROPOSE_FACTS, (OFF, "on"), "whether a model proposes facts from what was said"),
        Setting(PROPOSE_LESSONS, (OFF, "on"),
                "whether a model proposes lessons when a task has ended"),
    )  # fmt: skip


SETTINGS: Final = {
    setting.name: setting
    for setting in (
        Setting("knowledge.accept", ("auto", "review"),
                "whether an agent's project knowledge counts at once or waits for review"),
        Setting("knowledge.ties", ("newest", "review"),
                "who wins when two agents disagree with equal trust and confidence"),
        Setting("secrets.seal", ("on", "off"),
                "whether credentials are sealed before anything is stored"),
        Setting(READS, ("off", "on"),
                "whether reads and searches are announced as events, as writes always are"),
        Setting(EMBEDDER, (embedder_spec.DEFAULT, "static", "minilm", embedder_spec.OFF),
                "what makes the vectors that recall compares by meaning",
                embedder_spec.FORM, embedder_spec.check_spec),
        Setting(FLOOR, ("auto", "off"),
                "how likely a record must be what was asked for, or recall leaves it out",
                "a number from 0 to 1", _check_floor, per_process=True),
        Setting(USE, ("on", "off"),
                "whether recall counts what it hands out, and lets that weigh a little",
                per_process=True),
        Setting(HALF_LIFE, ("90", retention.ALL),
                "after how many days without change or use a memory has half faded",
                f"a number from 1 to {_DAYS:,}", partial(_check_number, HALF_LIFE, 1, _DAYS)),
        Setting(ENGINE, (BUILTIN, LANCE),
                "what finds the nearest vectors of a large project"),
        Setting(PARTITION_AT, ("1000000", OFF),
                "at how many records a project in Postgres gets partitions of its own",
                f"a number from 1 to {_MANY:,}",
                partial(_check_number, PARTITION_AT, 1, _MANY, also=f"{OFF}, or ")),
        Setting(LIVE, ("off", "on"),
                "whether the files that people read follow the store by themselves"),
        Setting(timekeeping.ACCEPT, (timekeeping.NOBODY,),
                "an instant vouched for, when the clock is years ahead of the newest change",
                "an instant as 2036-01-31T12:00:00Z", timekeeping.check_accepted),
        Setting(retention.RECEIPTS, ("30d", retention.ALL),
                "how long a repeated idempotency key is recognised at least",
                "a span as 7d", retention.check_receipts),
        Setting(LARGEST_FILE, ("1000000",),
                "how large a file may be to be indexed", f"a number from 1 to {_LARGEST_FILE:,}",
                partial(_check_number, LARGEST_FILE, 1, _LARGEST_FILE)),
        *_of_the_designs(),
        *_of_models(),
        *(_history(layer) for layer in LAYERS),
    )
}  # fmt: skip


def setting_named(name: str) -> Setting:
    """The setting called `name`, or an error that lists them."""
    if name not in SETTINGS:
        raise InvalidInputError(
            f"`{name:.60}` is not a setting", remedy=f"Use one of: {', '.join(SETTINGS)}"
        )
    return SETTINGS[name]


def check_setting(name: str, value: str) -> str:
    """Return `value` if the setting takes it."""
    setting = setting_named(name)
    if value in setting.choices:
        return value
    if setting.check is None or not isinstance(value, str):
        raise InvalidInputError(
            f"`{name}` cannot be {value!r:.40}", remedy=f"Use one of: {setting.possible}"
        )
    return setting.check(value)


def in_force(chosen: Mapping[str, str], name: str) -> str:
    """The value of one setting that holds."""
    return chosen.get(name, SETTINGS[name].default)


def variable(name: str) -> str:
    """The environment variable that stands for a setting."""
    return "LAMINA_" + name.upper().replace(".", "_")


def effective(chosen: Mapping[str, str]) -> dict[str, str]:
    """Every setting with the value that holds."""
    return {name: chosen.get(name, setting.default) for name, setting in SETTINGS.items()}
