"""Credentials to recognise, built at run time.

No credential stands in this file: every one is a prefix joined to a body drawn from a seeded
generator, so that a scanner finds nothing here and every run sees the same samples.
"""

import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LOWER_HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
URL_SAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
WORDS = (
    "walnut zebra river falcon mango otter marzipan swordfish mariposa sonnenblume tulpe".split()
)


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

    def fill(self, template: str) -> tuple[str, str]:
        """Put a value into `template`, and hand it out: `w` words and a digit, `p` one plain word,
        `d` digits, `s` with symbols, `r` random."""
        pick = self._random.choice
        one, two, three = pick(WORDS), pick(WORDS), pick(WORDS)
        number = self._random.randint(1, 99)
        values = {
            "w": pick(
                (
                    f"{one.title()}-{two}-{number}",
                    f"{one}{number}-{two.title()}-{number % 10}",
                    f"{one}-{two.title()}-{three}-{number}",
                )
            ),
            "p": one,
            "d": str(self._random.randint(1000, 999_999)),
            "s": f"{one.title()}{pick('!#@+')}{two}{number}",
            "r": self.body(24),
        }
        [name] = re.findall(r"(?<!{){([a-z])}", template)
        return template.format(**values), values[name]

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


STATED_IN = r"""
my password is {w} ~ my password is {w} ~ the password is {w} ~ password: {w}
credentials: bob / {s} ~ login bob / {s} ~ user ann pw {w} ~ passwort ist {w}
das WLAN-Passwort ist {w} ~ Das Datenbankpasswort lautet {w} ~ mot de passe : {w}
le mot de passe du wifi c'est {w} ~ mon mdp c'est {s} ~ contraseña: {w}
la contraseña del wifi es {w} ~ mi clave es {w} ~ PIN is {d} ~ The PIN for the safe is {d}.
my PIN: {d} ~ PIN {d} ~ Der PIN ist {d} ~ le code PIN est {d} ~ el PIN es {d}
the door code is {d} ~ the access code is {d} ~ your verification code: {d} ~ pw {w}
the password is {p} ~ the password is {p} ~ password: {p} ~ Passwort: {p} ~ Das Passwort ist {p}.
password is {p}. ~ my token is {w} ~ the token is {w} ~ I changed my password to {w} yesterday
the password was changed to {w} ~ password set to {w} ~ Password has been reset to {w}.
{w} is my password ~ {w} is the wifi password. ~ use {w} as the password ~ log in as bob with {s}
login: bob/{s} ~ Zugangsdaten: bob / {s} ~ identifiants : bob / {s}
credenciales: bob / {s} ~ my creds are ann / {w} ~ password = {w} ~ password: {w}
my password is {w} ~ the admin password is now {w}, please note it
password for bob's laptop is {w} ~ the router's password's {w} ~ my wifi password is {p}
wifi: HomeNet, password: {p} ~ WLAN: HomeNet, Passwort: {p} ~ user: ann, password: {w}
Benutzer ann, Passwort {w} ~ postgres://app:{w}@db.internal:5432/app
https://x-access-token:{r}@github.com/org/repo.git ~ https://token:{r}@github.com/org/repo.git
{{"name":"API_TOKEN","value":"{w}"}} ~ {{"key": "DB_PASSWORD", "value": "{p}"}}
my passphrase is {w} ~ my password is "{p}" ~ El pin de la tarjeta es {d} ~ Meine PIN lautet {d}
contraseña del servidor: {w} ~ mon mot de passe est {p} ~ mi contraseña es {p}
mein Passwort ist {p} ~ ssh password {w} ~ remember: pw for grafana = {w} ~ pw: {p}
My bank pin is {d} ~ the alarm code to the office is {d} ~ password → {w} ~ Password — {w}
The secret key is {w} ~ password:\n{w}
FYI: jira login: ann@example.com / {s} ~ For the VPN, username is ann and password is {w}.
Our shared Spotify account: ann@example.com, password {w}
The office wifi (guest) password is {w} ~ the guest wifi password is {p} ~ wifi key: {w}
WiFi password = {w} ~ WLAN-Schlüssel: {w} ~ Please remember my locker code, it's {d}.
my debit card PIN is {d} ~ PIN code for the SIM: {d} ~ SIM PIN = {d} ~ Alarm code: {d}
das Passwort für den Server lautet {w} ~ Passwort vom Drucker ist {w} ~ das neue Passwort ist {w}
Das Kennwort wurde auf {w} geändert ~ Passwort wurde geändert auf {w}
Mein PIN für die Karte ist {d} ~ Der Türcode ist {d} ~ Mon mot de passe Netflix est {w}
Le mot de passe pour le serveur est {w} ~ le nouveau mot de passe est {w} ~ mdp wifi : {w}
mdp {w} ~ le code du portail est {d} ~ la contraseña de Netflix es {w}
La nueva contraseña es {w} ~ contraseña wifi: {w} ~ usuario ana, contraseña {w}
el código de acceso es {d} ~ clave wifi: {w} ~ mi PIN es {d} ~ The root pw on db-01 is {w}
db-01 root pw: {w} ~ ssh into 10.0.0.4 with user deploy and password {w}
I use {w} as my master password ~ My master password: {w} ~ The encryption passphrase is {w}
the zip password is {w} ~ PDF password: {w} ~ unlock it with the passphrase '{w}'
My password used to be {w} ~ Her iCloud password is {w} ~ his password is {w}
password hint: dog, password: {w} ~ login: ann password: {w} ~ login=ann&password={w}
user = ann\npassword = {w} ~ username: ann\npassword: {p} ~ {{"user": "ann", "password": "{p}"}}
The API key for weather is {w} ~ api key: {w} ~ My OpenWeather key is {r}
token for the bot is {w} ~ the secret is {w} ~ client secret is {w} ~ The OTP is {d} ~ OTP: {d}
one-time password is {d} ~ my phone's passcode is {d} ~ phone passcode {d}
the passcode to the gym is {d} ~ set the admin password to {w} ~ new password {w}
temp password is {w} (change on first login) ~ password is {w}. ~ password is {w}
password is {w} ~ password ist {w}
"""
"""Sentences that say outright what is secret, divided by ` ~ `."""


def stated(text: str, draw: Draw) -> Iterator[Sample]:
    """Every sentence of `text` with a value in it."""
    for template in text.strip().replace("\n", " ~ ").split(" ~ "):
        filled, value = draw.fill(template.replace(r"\n", "\n"))
        yield Sample(template, filled, value)


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
    yield from stated(STATED_IN, draw)


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
