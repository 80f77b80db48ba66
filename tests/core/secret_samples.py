"""Credentials to recognise, built at run time.

No credential stands in this file: every one is a prefix joined to a body drawn from a seeded
generator, so that a scanner finds nothing here and every run sees the same samples.
"""

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LOWER_HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
URL_SAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"


@dataclass(frozen=True, slots=True)
class Sample:
    """A text and the secret in it."""

    label: str
    text: str
    value: str


class Draw:
    """Random bodies of credentials; always with a digit and a letter, as issuers' nearly are."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def body(self, length: int, alphabet: str = ALNUM) -> str:
        """Draw until letters and digits both appear early enough to be typical."""
        while True:
            text = "".join(self._random.choices(alphabet, k=length))
            head = text[:24]
            if (
                any(c.isdigit() for c in head)
                and any(c.isalpha() for c in head)
                and text[-1].isalnum()
            ):
                return text

    def password(self) -> str:
        """A password a person might choose."""
        word = self._random.choice(
            ["Tiger", "winter", "Kaffee", "blueSky", "monkey", "Sommer", "drag0n"]
        )
        return word + self._random.choice("!#_%") + str(self._random.randint(10, 9999))

    def pem(self, label: str) -> str:
        """A private key block of three lines."""
        lines = "\n".join(self.body(64, BASE64) for _ in range(3))
        return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----"

    def jwt(self) -> str:
        """Header, claims and signature."""
        claims = json.dumps({"sub": self.body(10), "iat": self._random.randint(1, 2**31)})
        parts = (b'{"alg":"HS256","typ":"JWT"}', claims.encode())
        encoded = [base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts]
        return ".".join([*encoded, self.body(43, URL_SAFE)])


def issued(draw: Draw) -> dict[str, str]:
    """One credential of every issuer's shape."""
    return _first_issuers(draw) | _more_issuers(draw) | _last_issuers_and_keys(draw)


def _first_issuers(draw: Draw) -> dict[str, str]:
    body = draw.body
    return {
        "aws": "AKIA" + body(16, UPPER),
        "aws_temporary": "ASIA" + body(16, UPPER),
        "github_personal": "ghp_" + body(36),
        "github_oauth": "gho_" + body(36),
        "github_user": "ghu_" + body(36),
        "github_server": "ghs_" + body(36),
        "github_refresh": "ghr_" + body(76),
        "github_fine": "github_pat_" + body(22) + "_" + body(59),
        "gitlab": "glpat-" + body(20, URL_SAFE),
        "gitlab_runner": "glrt-" + body(20, URL_SAFE),
        "slack_bot": f"xoxb-{body(12, string.digits + 'a')}-{body(12)}-{body(24)}",
        "slack_user": f"xoxp-{body(12)}-{body(12)}-{body(32, LOWER_HEX)}",
        "slack_app": f"xapp-1-{body(11, UPPER)}-{body(13)}-{body(64, LOWER_HEX)}",
        "stripe_live": "sk_live_" + body(24),
        "stripe_test": "sk_test_" + body(24),
        "stripe_restricted": "rk_live_" + body(24),
        "stripe_hook": "whsec_" + body(32),
        "openai": "sk-" + body(20) + "T3Blbk" + body(20),
        "openai_project": "sk-proj-" + body(100, URL_SAFE),
        "openai_service": "sk-svcacct-" + body(60, URL_SAFE),
    }


def _more_issuers(draw: Draw) -> dict[str, str]:
    body = draw.body
    return {
        "anthropic": "sk-ant-api03-" + body(93, URL_SAFE) + "AA",
        "google": "AIza" + body(35, URL_SAFE),
        "google_oauth": "ya29." + body(60, URL_SAFE),
        "google_client": "GOCSPX-" + body(28, URL_SAFE),
        "npm": "npm_" + body(36),
        "pypi": "pypi-AgE" + body(120, URL_SAFE),
        "hf": "hf_" + body(34),
        "sendgrid": f"SG.{body(22, URL_SAFE)}.{body(43, URL_SAFE)}",
        "twilio": "SK" + body(32, LOWER_HEX),
        "telegram": "1"
        + body(8, string.digits + "0a").replace("a", "7")
        + ":"
        + body(35, URL_SAFE),
        "discord": f"M{body(25)}.{body(6)}.{body(38, URL_SAFE)}",
        "shopify": "shpat_" + body(32, LOWER_HEX),
        "shopify_shared": "shpss_" + body(32, LOWER_HEX),
        "digitalocean": "dop_v1_" + body(64, LOWER_HEX),
        "vault": "hvs." + body(24, URL_SAFE) + body(66),
        "databricks": "dapi" + body(32, LOWER_HEX),
        "linear": "lin_api_" + body(40),
        "notion": "ntn_" + body(46),
        "notion_old": "secret_" + body(43),
    }


def _last_issuers_and_keys(draw: Draw) -> dict[str, str]:
    body = draw.body
    return {
        "postman": f"PMAK-{body(24, LOWER_HEX)}-{body(34, LOWER_HEX)}",
        "age": "AGE-SECRET-KEY-1" + body(58, UPPER),
        "jwt": draw.jwt(),
        "groq": "gsk_" + body(52),
        "docker": "dckr_pat_" + body(27, URL_SAFE),
        "figma": "figd_" + body(40, URL_SAFE),
        "replicate": "r8_" + body(37),
        "tailscale": f"tskey-auth-{body(12)}-{body(32)}",
        "sentry": "sntryu_" + body(64, LOWER_HEX),
        "supabase": "sbp_" + body(40, LOWER_HEX),
        "new_relic": "NRAK-" + body(27, UPPER),
        "grafana": "glsa_" + body(32) + "_" + body(8, LOWER_HEX),
        "rsa": draw.pem("RSA PRIVATE KEY"),
        "pkcs8": draw.pem("PRIVATE KEY"),
        "openssh": draw.pem("OPENSSH PRIVATE KEY"),
        "pgp": draw.pem("PGP PRIVATE KEY BLOCK"),
        "ec": draw.pem("EC PRIVATE KEY"),
        "encrypted": draw.pem("ENCRYPTED PRIVATE KEY"),
    }


CARRIERS: tuple[Callable[[str], str], ...] = (
    lambda value: value,
    lambda value: f"Please remember {value} for the deploy.",
    lambda value: f'{{"note": "{value}"}}',
)
"""Texts without a word for a secret: the shape alone has to do."""

RANDOM_IN: tuple[str, ...] = (
    "aws_secret_access_key = {}",
    "AWS secret: {}",
    "TWILIO_AUTH_TOKEN={}",
    "twilio auth token {}",
    "API_KEY={}",
    "export TOKEN={}",
    'api_key: "{}"',
    '"apiKey": "{}",',
    "X-Api-Key: {}",
    "?access_token={}&page=2",
    "client_secret={}",
    "heroku auth token: {}",
    "--api-key {}",
    "--token={}",
    "<apiKey>{}</apiKey>",
    "the API key for staging is {}",
    "here is the access token: {}",
    "Use this secret key {} for signing.",
    "const secretKey = '{}';",
    "DATADOG_API_KEY: {}",
    "AccountKey={};EndpointSuffix=core.windows.net",
    "SharedAccessKey={}",
    "Authorization: Bearer {}",
    "curl -H 'Authorization: token {}' https://x.test",
    "Authorization: Basic {}",
    "//registry.npmjs.org/:_authToken={}",
    'token = "{}"',
    "SECRET_KEY = '{}'",
    "encryption key: {}",
    "webhook_secret: {}",
    "session_token={}",
    "deploy key is `{}`",
    "Bearer {}",
    "credentials: {}",
    "private_key => '{}'",
    "set API_TOKEN {}",
    "signing_secret: '{}'",
)

PASSWORD_IN: tuple[str, ...] = (
    'password = "{}"',
    "password: {}",
    "DB_PASSWORD={}",
    '{{"password": "{}"}}',
    "passwd={}",
    "pwd: {}",
    "my password is {}",
    "the password for the staging box is {}.",
    "The passphrase is {}",
    "--password {}",
    "--password={} --verbose",
    "Mein Passwort lautet {}",
    "Das Kennwort ist {}",
    "le mot de passe est {}",
    "Le mot de passe du serveur est {}",
    "la contraseña es {}",
    "Mi contraseña: {}",
    "Passwort: {}",
    "Server=db;User Id=sa;Password={};Encrypt=yes",
    "postgres://ann:{}@db.test/app",
    "redis://:{}@cache:6379/0",
    "mongodb+srv://u:{}@c0.mongodb.test",
    "https://ann:{}@git.test/x.git",
    "machine h.test login ann password {}",
    "spring.datasource.password={}",
    "user: ann pass: {}",
    "sshpass -p {} ssh ann@h.test",
    "mysql -u root -p{} shop",
    "curl -u ann:{} https://h.test",
    "create user ann identified by '{}'",
    "I changed the password to {} today",
    "wifi password: {}",
    "root password is `{}`",
    "login with password {}",
    "<password>{}</password>",
    "password (prod): {}",
    "PGPASSWORD={} psql",
    "smtp_pass = '{}'",
    "password=> '{}'",
    "requirepass {}",
    "  password: {}  # rotate",
    "Password: **{}**",
    "amqp://guest:{}@mq:5672",
    "dbPassword: '{}',",
)


def credentials(seed: int = 7) -> Iterator[Sample]:
    """Every credential shape in the texts it is met in."""
    draw = Draw(seed)
    for label, value in issued(draw).items():
        for number, carrier in enumerate(CARRIERS):
            yield Sample(f"{label}/{number}", carrier(value), value)
    for template in RANDOM_IN:
        for value in (draw.body(40, BASE64), draw.body(32, LOWER_HEX), draw.body(24)):
            yield Sample(template, template.format(value), value)
    for template in PASSWORD_IN:
        for _ in range(2):
            value = draw.password().replace("%", "$") if "://" in template else draw.password()
            value = value.replace("#", "!") if "://" in template else value
            yield Sample(template, template.format(value), value)
    yield from _special(draw)


def _special(draw: Draw) -> Iterator[Sample]:
    hook = f"T{draw.body(8, UPPER)}/B{draw.body(10, UPPER)}/{draw.body(24)}"
    yield Sample("slack_hook", "https://hooks.slack.com/services/" + hook, hook)
    signature = draw.body(43, ALNUM) + "%3D"
    yield Sample("sas", f"https://a.blob.test/c?sv=2022&sig={signature}&se=2026", signature)
    pair = draw.body(40, BASE64)
    yield Sample("aws_pair", "AKIA" + draw.body(16, UPPER) + "," + pair, pair)
    yield Sample(
        "phrase", "The passphrase is correct horse battery staple.", "correct horse battery staple"
    )
    yield Sample("word", "my password is swordfish", "swordfish")
    yield Sample("digits", "password: 482913", "482913")
    escaped = draw.body(30)
    yield Sample("escaped_json", f'{{"body": "{{\\"token\\": \\"{escaped}\\"}}"}}', escaped)
    yield Sample(
        "webhook",
        f"https://discord.com/api/webhooks/{'1' * 18}/" + (b := draw.body(68)),
        f"{'1' * 18}/{b}",
    )
