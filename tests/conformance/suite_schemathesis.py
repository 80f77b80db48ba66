"""Schemathesis: our schema taken at its word, request after request, right ones and wrong ones.

No answer may be a server error, have a status or a shape that the schema does not tell of, or take
what the schema says is wrong.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import lamina
from tests.conformance.result import Result
from tests.serving import serving

LEAST: Final = 5_000
"""How many cases there must be for the suite to mean anything."""
_CHECKS: Final = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_headers_conformance", "response_schema_conformance", "negative_data_rejection",
    "unsupported_method", "allow_header_conformance",
)  # fmt: skip
_LEFT_OUT: Final = (
    ("GET /api/changes/stream", "the answer has no end"),
    ("GET /api/blackboard/stream", "the answer has no end"),
    (
        "check positive_data_acceptance",
        "a scope or a cursor is text to the schema, and few are one",
    ),
    ("check ignored_auth", "tests/http/test_matrix.py asks every route in every role"),
)


def run(work: Path) -> list[Result]:
    """The whole schema, asked by the owner of a store of its own."""
    log, report = work / "log.txt", work / "report.json"
    with lamina.open(work / "store") as memory:
        memory.configure("recall.embedder", "off")
        with serving(memory) as served, log.open("w", encoding="utf-8") as told:
            command = [
                str(Path(sys.executable).with_name("st")), "run", f"{served.url}/openapi.json",
                "--header", f"Authorization: Bearer {served.key}",
                "--phases", "examples,coverage,fuzzing", "--max-examples", "60",
                "--continue-on-failure", "--generation-database", "none", "--no-color",
                "--exclude-path-regex", "/stream$", "--checks", ",".join(_CHECKS),
                "--report", "json", "--report-json-path", str(report),
            ]  # fmt: skip
            subprocess.run(command, stdout=told, stderr=subprocess.STDOUT, cwd=work, check=False)
    return [_result(json.loads(report.read_text(encoding="utf-8")), log)]


def _result(told: dict[str, Any], log: Path) -> Result:
    cases = told["test_cases"]
    failed = [f"{one['title']}: {one['count']}" for one in told["failures"]]
    failed += [str(one) for one in told["errors"]]
    if cases["generated"] < LEAST:
        failed.append(f"only {cases['generated']:,} cases, of at least {LEAST:,}")
    passed = cases["generated"] - cases["with_failures"] - cases["errored"]
    return Result("schemathesis", passed, cases["generated"], _LEFT_OUT, tuple(failed), log)


if __name__ == "__main__":
    from tests.conformance.run import main

    sys.exit(main(["schemathesis"]))
