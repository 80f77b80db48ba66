"""The files for deploying say only what is there: commands, variables, metrics, routes and files.

Nothing here starts a container. What an image is built from, what it asks a server and what systemd
thinks of the unit is tried for real.
"""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import click
import pytest
import yaml  # type: ignore[import-untyped]  # its types are a package of their own
from packaging.requirements import Requirement

import lamina
from lamina import config
from lamina.core.settings import SETTINGS, variable
from lamina.surfaces.cli.main import cli
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from lamina.surfaces.http.pulse import Part
from tests.http.test_matrix import every_route
from tests.meta.children import run_python
from tests.meta.tree import ROOT, SOURCE, python_files, relative
from tests.serving import Served, serving

DEPLOY = ROOT / "deploy"
GUIDE = ROOT / "docs" / "guides" / "deploying.md"
SCALE = ROOT / "docs" / "scale.md"
DOCKERFILE = ROOT / "Dockerfile"
COMPOSE = ROOT / "compose.yaml"
UNIT = DEPLOY / "lamina@.service"
ALERTS = DEPLOY / "lamina-alerts.yaml"
FILES = [DOCKERFILE, COMPOSE, GUIDE, SCALE, *sorted(DEPLOY.iterdir())]
LOCK = (ROOT / "requirements-serve.lock").read_text(encoding="utf-8")
STORES = ("server", "mcp", "postgres", "redis")
"""The extras that the image has, as far as there are such."""
HARDENED = {
    "ProtectSystem": "strict", "ProtectHome": "yes", "NoNewPrivileges": "yes", "UMask": "0077",
    "CapabilityBoundingSet": "", "Restart": "on-failure", "StateDirectory": "lamina",
    "User": "lamina", "LoadCredential": "store:/etc/lamina/store",
}  # fmt: skip
MOST_EXPOSED = 15
"""Tenths: `systemd-analyze security` calls less than 2 well."""


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def _compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(_text(COMPOSE))
    return found


def _instructions(name: str) -> list[str]:
    """What a Dockerfile says after one word, continued lines joined."""
    whole = re.sub(r"^#.*\n", "", _text(DOCKERFILE), flags=re.MULTILINE).replace("\\\n", " ")
    return re.findall(rf"^{name} (.+)$", whole, flags=re.MULTILINE)


def _copied() -> list[str]:
    """The files and folders of this repository that an image is made of."""
    lines = [line.split() for line in _instructions("COPY") if not line.startswith("--from")]
    return [source for *sources, _ in lines for source in sources]


# -- the image


def test_what_the_image_copies_is_there_and_is_not_kept_from_it() -> None:
    sent = {line[1:] for line in _text(ROOT / ".dockerignore").splitlines() if line[:1] == "!"}
    assert set(_copied()) == sent
    assert all((ROOT / name).exists() for name in sent)


def test_what_the_image_copies_is_enough_to_build_the_package(tmp_path: Path) -> None:
    for name in _copied():
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, tmp_path)
    built = run_python("-m", "hatchling", "build", "-t", "wheel", "-d", "out", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    [wheel] = (tmp_path / "out").iterdir()
    with zipfile.ZipFile(wheel) as packed:
        inside = set(packed.namelist())
    wanted = {
        path.relative_to(SOURCE.parent).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted <= inside


def test_the_image_installs_by_hash_and_runs_as_nobody_in_particular() -> None:
    assert "--require-hashes" in " ".join(_instructions("RUN"))
    assert _instructions("USER") == ["10001:10001"]
    assert not [one for one in _instructions("FROM") if ":" not in one or ":latest" in one]
    [removed] = [
        line.split("uninstall --yes ")[1] for line in _instructions("RUN") if "unins" in line
    ]
    locked = set(re.findall(r"^([\w.-]+)==", LOCK, re.MULTILINE))
    assert set(removed.split()) <= locked


def test_the_image_has_what_its_stores_need() -> None:
    extras = tomllib.loads(_text(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
    needed = [Requirement(one) for extra in STORES for one in extras.get(extra, ())]
    locked = set(re.findall(r"^([\w.-]+)==", LOCK, re.MULTILINE))
    missing = {one.name for one in needed if one.name != "lamina"} - locked
    assert not missing, f"add --extra for {missing} to requirements-serve.lock in `make lock`"


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with lamina.open(":memory:") as memory, serving(memory) as served:
        yield served


def test_the_health_check_sees_a_server_and_its_absence(server: Served) -> None:
    [said] = _instructions("HEALTHCHECK")
    [code] = re.findall(r'CMD \["python", "-c", "(.+)"\]', said)
    port = server.url.rpartition(":")[2]
    assert run_python("-c", code.replace("8484", port)).returncode == 0
    assert run_python("-c", code.replace("8484", "1")).returncode == 1


# -- compose


def test_compose_publishes_to_this_machine_alone() -> None:
    services = _compose()["services"]
    ports = [port for service in services.values() for port in service.get("ports", ())]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert _compose()["networks"]["inside"]["internal"] is True
    assert [name for name, one in services.items() if one["networks"] != ["inside"]] == ["lamina"]


def test_compose_holds_no_password_and_has_none_by_default() -> None:
    services = _compose()["services"]
    assert all(list(one) == ["file"] for one in _compose()["secrets"].values())
    used = {secret for service in services.values() for secret in service["secrets"]}
    assert used == set(_compose()["secrets"])
    for service in services.values():
        for name in service.get("environment", {}):
            assert name.endswith("_FILE") or not re.search(r"PASSWORD|KEY|SECRET|DIR|HOT", name)
    # The guide makes each of these files.
    begin = _text(GUIDE).split("mkdir -m 700 secrets", 1)[1].split("```", 1)[0]
    names = {Path(one["file"]).name for one in _compose()["secrets"].values()}
    assert names <= set(re.findall(r"[\w.]+", begin))


def test_compose_knows_when_each_service_is_well() -> None:
    services = _compose()["services"]
    assert {name for name, one in services.items() if "healthcheck" not in one} == {"lamina"}
    waited = services["lamina"]["depends_on"]
    assert set(waited) == set(services) - {"lamina"}
    assert all(one == {"condition": "service_healthy"} for one in waited.values())
    named = {mount.split(":")[0] for one in services.values() for mount in one["volumes"]
             if isinstance(mount, str) and not mount.startswith("./")}  # fmt: skip
    assert named == set(_compose()["volumes"])


def test_compose_mounts_files_that_are_there() -> None:
    mounts = re.findall(r"- (\./[^:]+):", _text(COMPOSE))
    assert mounts
    assert all((ROOT / mount).is_file() for mount in mounts)


def test_the_server_in_compose_has_no_rights_that_it_does_not_need() -> None:
    server = _compose()["services"]["lamina"]
    assert server["read_only"] is True
    assert server["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in server["security_opt"]


def test_what_compose_lets_one_choose_stands_in_the_guide() -> None:
    chosen = set(re.findall(r"\$\{(\w+)", _text(COMPOSE)))
    assert chosen
    assert [name for name in chosen if name not in _text(GUIDE)] == []


# -- systemd


def test_the_unit_is_hardened() -> None:
    said = dict(re.findall(r"^(\w+)=(.*)$", _text(UNIT), flags=re.MULTILINE))
    assert said.items() >= HARDENED.items()


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "lamina@8484.service"
    # What it would run is not installed here.
    unit.write_text(re.sub(r"(?<=^ExecStart=)\S+", sys.executable, _text(UNIT), flags=re.M))
    tool = shutil.which("systemd-analyze")
    looks: list[list[str]] = [
        ["verify"],
        ["security", "--offline=true", f"--threshold={MOST_EXPOSED}"],
    ]
    for look in looks if tool else ():
        done = subprocess.run(
            [str(tool), *look, str(unit)], capture_output=True, text=True, check=False, timeout=20
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Unknown" not in done.stderr


# -- what all of them name


CALLED = re.compile(
    r"(?:^|`|bin/|\$\(|run --rm (?:-T )?|^# +)lamina ([a-z-][^`\n|;>)]*)", re.MULTILINE
)
"""A call of `lamina`: at the start of a line, in `code`, by its path, or in a container."""


def _commands(path: Path) -> Iterator[list[str]]:
    """Every call of `lamina` that a file tells one to make, as words."""
    if path == COMPOSE:
        yield _compose()["services"]["lamina"]["command"]
    if path == DOCKERFILE:
        yield re.findall(r'"([^"]+)"', _instructions("CMD")[-1])
    for line in CALLED.findall(_text(path).replace("\\\n", " ")):
        yield line.split(" #")[0].split()


COMING = frozenset(("scale",))
"""Below `bench`: comes with the store that it measures."""


def _unknown(words: list[str]) -> list[str]:
    """The words of a call that are neither a command, nor an option of it or of a value of one."""
    command: click.Command = cli
    context, wrong, is_value = click.Context(cli), [], False
    for word in words:
        options = {name: one for one in command.params for name in one.opts}
        if word.startswith("--") and not is_value:
            found = options.get(word.split("=")[0])
            is_value = "=" not in word and not getattr(found, "is_flag", True)
            wrong += [word] if found is None else []
            continue
        if isinstance(command, click.Group) and not is_value:
            inner = command.get_command(context, word)
            wrong += [word] if inner is None and word not in COMING else []
            command = inner or command
        is_value = False
    return wrong


def test_a_wrong_command_or_option_is_noticed() -> None:
    assert _unknown(["--dir", "serve", "token", "create", "ann", "--role", "admin"]) == []
    assert _unknown(["sreve"]) == ["sreve"]
    assert _unknown(["token", "make"]) == ["make"]
    assert _unknown(["serve", "--port", "--upkep", "--prot", "1"]) == ["--prot"]


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_every_command_and_option_is_there(path: Path) -> None:
    calls = list(_commands(path))
    assert calls or path not in {DOCKERFILE, COMPOSE, GUIDE, UNIT}
    assert [words for words in calls if _unknown(words)] == []


def _read_by_the_code() -> tuple[set[str], set[str]]:
    """The variables that the sources name, and those that may be said by a file."""
    text = "\n".join(map(_text, python_files(SOURCE)))
    named = set(re.findall(r'"(LAMINA_[A-Z_]+[A-Z])"', text)) | set(map(variable, SETTINGS))
    said = set(re.findall(r'from_environment\(\s*"(\w+)"', text)) | {config.KEY, config.HOT}
    return named, {f"{name}_FILE" for name in said}


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_every_variable_is_one_that_the_code_reads(path: Path) -> None:
    named, files = _read_by_the_code()
    assert set(re.findall(r"\bLAMINA_[A-Z_]+\b", _text(path))) <= named | files


def _metrics(server: Served) -> str:
    answers = []
    for path in ("/api/search?q=tea", "/metrics"):
        with urlopen(Request(server.url + path, headers=server.headers), timeout=10) as answer:
            answers.append(answer.read().decode())
    return str(answers[-1])


def test_every_metric_is_one_that_the_server_tells(server: Served) -> None:
    told = _metrics(server)
    there = set(re.findall(r"^(lamina_\w+)", told, re.MULTILINE))
    there |= set(re.findall(r"^# TYPE (lamina_\w+)", told, re.MULTILINE))
    pages = "".join(map(_text, (GUIDE, ALERTS, DEPLOY / "prometheus.yaml")))
    named = set(re.findall(r"\blamina_[a-z_]+\b", pages))
    assert {"lamina_requests_total", "lamina_vectors"} <= named
    assert named <= there


def test_the_alarms_look_at_what_there_is(server: Served) -> None:
    told = _metrics(server)
    [group] = yaml.safe_load(_text(ALERTS))["groups"]
    for rule in group["rules"]:
        assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in {"page", "ticket"}
    text = _text(ALERTS)
    assert set(re.findall(r'\bis="(\w+)"', text)) <= set(re.findall(r'is="(\w+)"', told))
    assert set(re.findall(r'\bpart="(\w+)"', text)) <= {part.value for part in Part}
    routes = {path for said in re.findall(r'route=~?"([^"]+)"', text) for path in said.split("|")}
    assert routes
    assert routes <= _routes()


def test_the_proxies_send_on_what_there_is() -> None:
    text = _text(DEPLOY / "nginx.conf") + _text(DEPLOY / "Caddyfile")
    named = set(re.findall(r"(?:location|respond|path|health_uri) (/[\w/-]*)", text))
    assert {"/mcp", "/metrics", "/healthz", "/api/store/"} <= named
    assert [one for one in named if not any(path.startswith(one) for path in _routes())] == []


@cache
def _routes() -> frozenset[str]:
    with lamina.open(":memory:") as memory:
        app = create_app(Engine(memory))
    return frozenset(path for path, _ in every_route(app.routes))


# -- the arithmetic


def test_the_plan_adds_up() -> None:
    table = _text(SCALE).split("| what | bytes a record", 1)[1].split("\n\n", 1)[0]
    *parts, whole = re.findall(
        r"^\| \**[^|]+?\** \| \**([\d,]+)\**(?: \[[SP]\])?"
        r" \| \**([\d.]+) GB\** \| \**([\d.]+) TB\** \|$",
        table, re.MULTILINE,
    )  # fmt: skip
    sizes = [int(size.replace(",", "")) for size, _, _ in parts]
    assert len(sizes) > 5
    assert sum(sizes) == int(whole[0].replace(",", ""))
    for size, millions, billions in [*parts, whole]:
        rounded = round(int(size.replace(",", "")) / 1000, 2)
        assert (float(millions), float(billions)) == (rounded, rounded)
