"""Secrets that give themselves away by their form: issuers' prefixes, JWTs, private keys.

A shape is a literal prefix, found by substring search, and the pattern of what follows. That keeps
the scan linear: a text without the prefix costs one `in`, and a body is either matched, and skipped
over, or fails inside the run of characters it started in. No body repeats a group that repeats.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lamina.core.secrets.spans import Secret


@dataclass(frozen=True, slots=True)
class Shape:
    """One issuer's form."""

    kind: str
    prefix: str
    body: re.Pattern[str]
    joined: str = ""
    """Characters that, standing before the prefix, mean it is the middle of something longer."""


def _shape(kind: str, prefix: str, body: str, joined: str = "") -> Shape:
    return Shape(kind, prefix, re.compile(body, re.ASCII), joined)


# `{n,}+` never gives back what it took: a run shorter than `n` fails at once, a longer one is
# taken whole, so no tail of a long token is left in the text. `(?=…)` guards on prefixes that also
# start ordinary words ask for a digit within a bounded distance.
_ALNUM: Final = r"[A-Za-z0-9]"
_WORDISH: Final = r"[A-Za-z0-9_\-]"
_DIGIT_SOON: Final = r"(?=[A-Za-z0-9_\-]{0,39}[0-9])"
_SHAPES: Final = (
    *(_shape("lamina_key", f"lm{x}_", r"[a-z2-7]{16}_[a-z0-9_]{40,}+") for x in "kt"),
    _shape("aws_access_key", "AKIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws_access_key", "ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws_access_key", "ABIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    *(_shape("github_token", f"gh{x}_", r"[A-Za-z0-9_]{30,}+") for x in "pousr"),
    _shape("github_token", "github_pat_", r"[A-Za-z0-9_]{30,}+"),
    *(_shape("gitlab_token", p, rf"{_DIGIT_SOON}[A-Za-z0-9_\-.]{{20,}}+")
      for p in ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "glft-")),
    *(_shape("slack_token", f"xox{x}-", rf"{_DIGIT_SOON}{_WORDISH}{{10,}}+") for x in "abeoprs"),
    _shape("slack_token", "xapp-", rf"{_DIGIT_SOON}{_WORDISH}{{20,}}+"),
    _shape("slack_webhook", "hooks.slack.com/services/", r"T\w{6,}+/B\w{6,}+/\w{16,}+"),
    _shape("slack_webhook", "hooks.slack.com/workflows/", r"T\w{6,}+/A\w{6,}+/\w{6,}+/\w{16,}+"),
    _shape("discord_webhook", "/api/webhooks/", rf"\d{{16,20}}/{_WORDISH}{{50,}}+"),
    *(_shape("stripe_key", f"{who}_{mode}_", rf"{_ALNUM}{{16,}}+")
      for who in ("sk", "rk") for mode in ("live", "test", "prod")),
    _shape("stripe_webhook_secret", "whsec_", r"[A-Za-z0-9+/=]{24,}+"),
    _shape("anthropic_key", "sk-ant-", rf"{_DIGIT_SOON}{_WORDISH}{{20,}}+"),
    _shape("openai_key", "sk-", rf"{_DIGIT_SOON}{_WORDISH}{{20,}}+"),
    _shape("google_api_key", "AIza", rf"{_WORDISH}{{35,}}+"),
    _shape("google_oauth_token", "ya29.", r"[A-Za-z0-9_\-.]{20,}+"),
    _shape("google_client_secret", "GOCSPX-", rf"{_WORDISH}{{20,}}+"),
    _shape("google_refresh_token", "1//0", rf"{_WORDISH}{{30,}}+"),
    _shape("npm_token", "npm_", rf"{_ALNUM}{{30,}}+"),
    _shape("pypi_token", "pypi-AgE", rf"{_WORDISH}{{30,}}+"),
    _shape("hugging_face_token", "hf_", rf"{_ALNUM}{{30,}}+"),
    _shape("hugging_face_token", "api_org_", rf"{_ALNUM}{{30,}}+"),
    _shape("sendgrid_key", "SG.", rf"{_WORDISH}{{16,}}+\.{_WORDISH}{{16,}}+"),
    _shape("twilio_key", "SK", r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    *(_shape("shopify_token", p, r"[0-9a-fA-F]{32,}+")
      for p in ("shpat_", "shpss_", "shpca_", "shppa_")),
    *(_shape("digitalocean_token", f"do{x}_v1_", r"[0-9a-f]{64,}+") for x in "por"),
    *(_shape("vault_token", p, rf"{_WORDISH}{{20,}}+") for p in ("hvs.", "hvb.", "hvr.")),
    _shape("databricks_token", "dapi", r"[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])"),
    _shape("linear_key", "lin_api_", rf"{_ALNUM}{{32,}}+"),
    _shape("linear_key", "lin_oauth_", rf"{_ALNUM}{{32,}}+"),
    _shape("notion_token", "ntn_", rf"{_ALNUM}{{40,}}+"),
    _shape("notion_token", "secret_", rf"{_ALNUM}{{43,}}+"),
    _shape("postman_key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _shape("age_secret_key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{30,}+"),
    _shape("figma_token", "figd_", rf"{_WORDISH}{{30,}}+"),
    _shape("grafana_token", "glsa_", r"[A-Za-z0-9_]{32,}+"),
    _shape("grafana_token", "glc_", r"[A-Za-z0-9+/=]{32,}+"),
    _shape("new_relic_key", "NRAK-", r"[A-Z0-9]{27,}+"),
    _shape("planetscale_token", "pscale_", r"(?:tkn|pw|oauth)_[A-Za-z0-9_.\-]{32,}+"),
    _shape("supabase_key", "sbp_", r"[0-9a-f]{40,}+"),
    _shape("supabase_key", "sb_secret_", rf"{_WORDISH}{{20,}}+"),
    _shape("fly_token", "FlyV1 ", r"fm\d_[A-Za-z0-9+/=,_\-]{40,}+"),
    _shape("groq_key", "gsk_", rf"{_ALNUM}{{40,}}+"),
    _shape("xai_key", "xai-", rf"{_ALNUM}{{40,}}+"),
    _shape("perplexity_key", "pplx-", rf"{_ALNUM}{{40,}}+"),
    _shape("replicate_token", "r8_", rf"{_ALNUM}{{30,}}+"),
    _shape("tailscale_key", "tskey-", rf"[a-z]+-{_ALNUM}+-{_ALNUM}{{20,}}+"),
    _shape("sentry_token", "sntrys_", r"[A-Za-z0-9+/=_\-]{40,}+"),
    _shape("sentry_token", "sntryu_", r"[0-9a-f]{40,}+"),
    _shape("atlassian_token", "ATATT3", r"[A-Za-z0-9_\-=]{60,}+"),
    _shape("square_token", "EAAA", rf"{_WORDISH}{{60}}(?!{_WORDISH})"),
    _shape("square_token", "sq0csp-", rf"{_WORDISH}{{40,}}+"),
    _shape("mailchimp_key", "key-", r"[0-9a-f]{32}(?![A-Za-z0-9])", "-_"),
    _shape("airtable_token", "pat", rf"{_ALNUM}{{14}}\.[0-9a-f]{{64}}"),
    _shape("docker_token", "dckr_pat_", rf"{_WORDISH}{{20,}}+"),
    _shape("rubygems_key", "rubygems_", r"[0-9a-f]{48,}+"),
    _shape("pulumi_token", "pul-", r"[0-9a-f]{40,}+"),
    # Dots end a run, and `eyJ` must not have a run's character before it, so each run is read once.
    _shape("jwt", "eyJ", rf"{_WORDISH}{{8,}}+\.{_WORDISH}{{8,}}+(?:\.{_WORDISH}*+){{1,3}}", "-_"),
    _shape("sas_signature", "sig=", r"[A-Za-z0-9%+/]{30,}+(?:={0,2}|%3[dD])"),
)  # fmt: skip
_WITHOUT_PREFIX: Final = frozenset(
    {"slack_webhook", "discord_webhook", "sas_signature", "fly_token"}
)
"""Kinds whose prefix is an address or a name, not part of the secret."""

# Fixed or bounded widths between boundaries: at most about a hundred steps from any start.
_TELEGRAM: Final = re.compile(r"(?<![\w])\d{8,10}:[A-Za-z0-9_\-]{35}(?![\w\-])", re.ASCII)
_DISCORD: Final = re.compile(
    r"(?<![\w.\-])[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,}+", re.ASCII
)
_AWS_PAIR: Final = re.compile(
    r"(?:AKIA|ASIA)[A-Z0-9]{16}[^A-Za-z0-9/+]{1,4}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"
)
_MASKED: Final = re.compile(
    r"([xX*0.A])\1{7}|EXAMPLE|example|1234567890abcdef|abcdefghijkl", re.ASCII
)
_BEGIN: Final = "-----BEGIN "
_END: Final = "-----END "
_PEM_LABEL: Final = re.compile(r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY: Final = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{32}")
_PEM_REST: Final = re.compile(r"[A-Za-z0-9+/=\s\\:,]*+")
_LONGEST_PEM: Final = 65536
_WHERE_BODY_STARTS: Final = 600
"""Room for the headers (`Proc-Type`, `Version`, `Comment`) between label and key."""


def find_shapes(text: str) -> Iterator[Secret]:
    """Yield what is recognisable by form alone; spans may overlap."""
    for shape in _SHAPES:
        if shape.prefix in text:
            yield from _find_shape(text, shape)
    if ":" in text:
        yield from (Secret(*m.span(), "telegram_token") for m in _TELEGRAM.finditer(text))
    if "." in text:
        yield from (Secret(*m.span(), "discord_token") for m in _DISCORD.finditer(text))
    if "AKIA" in text or "ASIA" in text:
        yield from (Secret(*m.span(1), "aws_secret_key") for m in _AWS_PAIR.finditer(text))


def _find_shape(text: str, shape: Shape) -> Iterator[Secret]:
    at = text.find(shape.prefix)
    while at >= 0:
        after = at + len(shape.prefix)
        before = text[at - 1] if at else ""
        glued = (before.isascii() and before.isalnum()) or (before != "" and before in shape.joined)
        found = None if glued and shape.prefix[0].isalnum() else shape.body.match(text, after)
        if found:
            if not _MASKED.search(text, after, min(found.end(), after + 64)):
                start = after if shape.kind in _WITHOUT_PREFIX else at
                yield Secret(start, _trimmed(text, found.end()), shape.kind)
            after = found.end()
        at = text.find(shape.prefix, after)


def _trimmed(text: str, end: int) -> int:
    while text[end - 1] in ".-":
        end -= 1
    return end


def find_private_keys(text: str) -> Iterator[Secret]:
    """Yield private key blocks with their armour; one cut short runs as far as its body."""
    at = text.find(_BEGIN)
    last_end = text.rfind(_END) if at >= 0 else -1
    while at >= 0:
        label = _PEM_LABEL.match(text, at + len(_BEGIN))
        following = text.find(_BEGIN, at + len(_BEGIN))
        if label and _has_body(text, label.end(), following):
            # Looking for an end only where one can be keeps many unfinished blocks linear.
            end = _block_end(text, label.end(), last_end)
            yield Secret(at, end, "private_key")
            following = text.find(_BEGIN, end) if following >= 0 else -1
        at = following


def _has_body(text: str, start: int, following: int) -> bool:
    # Not reading beyond the next block keeps the stretches that are searched apart.
    end = (
        start + _WHERE_BODY_STARTS if following < 0 else min(start + _WHERE_BODY_STARTS, following)
    )
    return _PEM_BODY.search(text, start, end) is not None


def _block_end(text: str, body: int, last_end: int) -> int:
    close = text.find(_END, body, body + _LONGEST_PEM) if last_end >= body else -1
    if close >= 0:
        dashes = text.find("-----", close + len(_END), close + len(_END) + 64)
        return dashes + 5 if dashes >= 0 else close + len(_END)
    rest = _PEM_REST.match(text, body)
    return rest.end() if rest else body
