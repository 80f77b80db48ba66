"""Texts that mention secrets, or look like one, and hold none: sealing any of them is an error."""

import hashlib
import uuid
from collections.abc import Iterator

from tests.core.secret_samples import ALNUM, BASE64, LOWER_HEX, Draw

WRITTEN = """
The password field is validated on submit.
password is required
password: string
token: str
Passwords must be at least 12 characters long.
Your password has expired; please choose a new one.
The password was reset by the administrator.
We never store the password in plain text.
Use a password manager for every account.
The token expired after 3600 seconds.
Each token counts against the budget of 8000 tokens.
max_tokens: 4096
token_count = 1523
tokens: 20480
The tokenizer splits text into 32000 tokens.
tokenizer: cl100k_base
password_policy: strict
secret_santa: Bob draws Ann
The secret to good coffee is fresh beans.
Ann's secret ingredient is 2 spoons of paprika.
The key insight is that logs are ordered.
primary key: user_id
foreign_key = orders.customer_id
cache key: user:42:profile
Press any key to continue.
The API key is stored in the vault.
Set the API key in the environment before starting.
API_KEY=<your-api-key>
API_KEY=YOUR_API_KEY
API_KEY=xxxxxxxxxxxxxxxxxxxx
api_key: your-api-key-here
password: ********
password: changeme
password = "changeme"
PASSWORD=${DB_PASSWORD}
PASSWORD=$DB_PASSWORD
password: {{ vault_db_password }}
token = os.environ["TOKEN"]
token = os.getenv("API_TOKEN")
const token = process.env.TOKEN;
password = getpass.getpass()
password=args.password
self.password = password
self._token = token
def login(user: str, password: str) -> Token:
def connect(host, password=None):
password: Optional[str] = None
password: SecretStr
token: Token | None = None
if password == confirm_password:
if token is None:
assert response.json()["token"]
let api_key = config.api_key;
headers["Authorization"] = f"Bearer {token}"
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer YOUR_TOKEN
Authorization: Bearer {access_token}
Authorization: Basic <credentials>
The bearer of this letter is my friend.
Basic authentication is disabled.
bearer token authentication
https://example.com/login?next=/home
https://user@example.com/path
postgres://localhost:5432/app
postgres://${USER}:${PASSWORD}@db/app
postgres://user:<password>@host/db
redis://cache.internal:6379/0
ssh://git@github.com:22/org/repo.git
git@github.com:org/repo.git
mailto:ann@example.com
http://localhost:8080/api/v1/tokens
see https://docs.example.com/security/password-reset#step-2
/etc/secrets/db-password
private_key: ~/.ssh/id_ed25519
private_key_path = /srv/app/.ssh/id_rsa
credentials: ./config/credentials.json
GOOGLE_APPLICATION_CREDENTIALS=/var/secrets/google/key.json
secret: kubernetes.io/tls
secretName: web-tls-cert
secretKeyRef: name
tokenEndpoint: https://auth.example.com/oauth2/token
token_url: https://auth.example.com/token
token_type: bearer
"token_type": "Bearer"
"password": "string"
"password": {"type": "string", "minLength": 8}
"password": "Password is required"
"password": "Must be at least 8 characters"
"token": null
"secret": true
"api_key": ""
"apiKey": "YOUR_KEY_HERE"
<input type="password" name="password" placeholder="Password">
<label for="password">Password</label>
<PasswordInput value={password} onChange={setPassword} />
password VARCHAR(255) NOT NULL
password text not null
create table token (id integer primary key, value text)
select password_hash from account where id = 7
ALTER TABLE users ADD COLUMN password_reset_at timestamptz
The -----BEGIN PRIVATE KEY----- header marks a key.
if "-----BEGIN RSA PRIVATE KEY-----" in text: raise ValueError
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
sk-learn is spelled scikit-learn
sk-toggleable__content label styling in notebooks
import hf_transfer
npm_config_registry=https://registry.npmjs.org
npm_package_name is set by npm run
ghp_ is the prefix of GitHub tokens.
GitHub tokens start with ghp_, gho_ or github_pat_.
AKIA is how AWS access key ids begin.
AKIAIOSFODNN7EXAMPLE
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
sk-ant-... is the prefix
sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
xoxb-your-token-here
glpat-xxxxxxxxxxxxxxxxxxxx
AIzaXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX
eyJ is base64 for an opening brace and a quote.
The JWT has three parts separated by dots: header.payload.signature
task-management-system-with-many-hyphens
risk-assessment-2024-final-version-3
disk-usage-report-2026-11-15-node-04
ask-the-community-question-number-12345
prod-us-east-1-cluster-04-replica-2
feature/add-password-reset-flow-1234
fix(auth): rotate token on refresh (#1234)
BREAKING CHANGE: password hashing moves to argon2id
password hashing uses pbkdf2-sha256
password: bcrypt
password_encryption = scram-sha-256
hash_algorithm: sha256
token: JWT
secret: required
The password, once hashed, is compared in constant time.
Passwort erforderlich
Das Passwort ist falsch.
Das Passwort ist abgelaufen und muss erneuert werden.
Bitte geben Sie Ihr Kennwort ein.
Passwort vergessen? Hier klicken.
Kennwort: (leer)
Le mot de passe est incorrect.
Le mot de passe est obligatoire.
Mot de passe oublié ?
La contraseña es incorrecta.
La contraseña es obligatoria y debe tener 8 caracteres.
¿Olvidaste tu contraseña?
La clave es escuchar al cliente.
La clave del éxito es la constancia.
my password is wrong
my password is not working
my password is too short
I forgot my password again
our password is rotated every 90 days
The token is invalid
The token was revoked yesterday
the secret is out
The secret of the old house is finally revealed.
Her passphrase is longer than twenty characters.
The passphrase is required to unlock the disk.
The passphrase is never written to disk
What is the password policy for contractors?
Change the password to something longer.
Set the password to a strong value.
password to access the portal
access token lifetime: 15 minutes
refresh token rotation = enabled
token bucket: rate 100/s burst 20
Token ring networks ran at 16 Mbit/s.
NEXT_PAGE_TOKEN: nextPageToken
eos_token: </s>
pad_token = "[PAD]"
bos_token_id: 1
CancellationToken cancellationToken = default
design token: color-primary-500
csrf token missing or incorrect
lexer token: IDENT 'foo'
unexpected token '}' at line 42
SyntaxError: Unexpected token < in JSON at position 0
Tokens per second: 118.4
tokens=1500 cost=0.02
usage: prompt_tokens=311 completion_tokens=87
key: value
key=42
"key": "user-2024-11-15"
keys: [a, b, c]
keyboard: us-intl
sort_key: created_at
partition key is tenant_id
idempotency key: order-2026-11-15-0001
public_key: ssh-ed25519
ssh-keygen -t ed25519 -C "ann@example.com"
git push origin main --force-with-lease
pip install --no-cache-dir requests==2.32.3
docker run -p 8080:80 nginx:1.27
docker login registry.example.com
curl -u "$USER:$PASS" https://example.com
curl -H "Authorization: Bearer $TOKEN" https://example.com
mysql -u root -p shop
mysql -u root --port 3306 shop
psql -h localhost -p 5432 -U app
mkdir -p /var/lib/lamina/sessions
ssh -p 2222 ann@host.example.com
--password-file /run/secrets/db
--password-stdin
--token-limit 4000
--api-key-env OPENAI_API_KEY
passthrough: true
compass: 45 degrees
Pass 3 of 5 finished in 12.4s
pass: 118, fail: 2
tests pass on 3.11 and 3.14
boarding pass: gate B12
The bypass opens in 2027.
She passed the exam with 97 points.
Passing pw as the first argument is deprecated.
author: Ann Example
authority: 10.0.0.12:8443
authored-by: bob@example.com
auth: none
auth_method = kerberos
credit: 1200.50
The credential helper is osxkeychain.
credentials expire in 12 hours
Credentials were rotated on 2026-11-01.
secrets: []
secrets.token_hex(32)
from secrets import token_urlsafe
import { getToken } from "./auth/token2"
token = lexer.next_token()
token2 = token1.next
password1 != password2
password = password1
test_password_reset_sends_mail PASSED
ERROR auth.py:212 password check failed for user 1042
WARN token refresh took 1532 ms (attempt 2)
2026-11-15T10:22:31Z INFO login ok user=ann method=password
[2026-11-15 10:22:31] secret rotation finished in 3.2s
chapter 12: the secret garden
Route 66 is 3940 km long.
ISBN 978-3-16-148410-0
IBAN DE89370400440532013000
Call +49 30 1234567 for access.
v2.14.0-rc.3+build.20261115
The wifi password is on the whiteboard.
The password is on the sticky note.
The password is in 1Password.
The password is the same as last year.
The token is in the header.
token: see 1Password
password: see vault
password: (unchanged)
password: n/a
password: none
Password: ______
secret://redacted
password: secret://redacted
api_key = vault://kv/prod/openai
password: op://Private/db/password
password: ENC[AES256_GCM,data:...]
token: !secret home_assistant_token
key-value pairs in config_v2
Authorization header is missing
authorization: required
""".strip().splitlines()

TALK = """
the password is required ~ the password is case-sensitive ~ password is stored as bcrypt hash
my password is weak ~ token is expired ~ the PIN is 4 digits long ~ the PIN is wrong
PIN is required for the card ~ my PIN is blocked ~ connect the LED to GPIO pin: 4711
pin 13 is high ~ pin the version to 2.4.1 ~ we pin requests==2.32.3 ~ pin: 17 ~ gpio pin is 17
opinion: 2024 was better ~ the pin is 2.54 mm apart ~ password is base64-encoded
the password is user-specific ~ the password is auto-generated ~ the password is 12-character
password: EncryptedString ~ password: PasswordHash; ~ password: userPassword,
{ user: user, password: pw } ~ { password: plain } ~ {password: foo, user: bar}
login(user, password: input) ~ password: hashed ~ password: bcrypt
the password is SHA-256 hashed ~ the token is RFC6750-compliant ~ The access token is JWT-based.
user guide / Chapter-4 ~ user ann / role 2 ~ login page / Sign-up2 flow ~ login 2026-11-15 / 10:30
account: 12/2026 ~ user: bob / 2024-11-15 ~ user ann, Chrome/128.0 ~ login http / 2
login as ann with SSO2 ~ log in with Google and GitHub2 ~ credentials: see vault / team-2
status code is 4040 ~ error code: 5001 ~ zip code: 94107 ~ exit code: 1234 ~ code: 4711
country code is 0049 ~ the access code is printed on page 12 ~ HTTP status code is 2000
verification code is 6 digits ~ the password is rubbish ~ the password is ours
the password is the same ~ the password is German ~ Das Passwort ist Pflicht.
Das Passwort ist zu kurz. ~ Das Passwort ist gespeichert. ~ Das Passwort ist geändert
das Passwort ist unbekannt ~ Le mot de passe est faible. ~ le mot de passe est enregistré
le mot de passe est oublié ~ la contraseña es débil ~ la contraseña es necesaria
la contraseña es compartida ~ La clave es paciencia. ~ the password should be changed
the password must be 12 characters ~ password should be 8-64 characters ~ password will be emailed
Step-2 is the password reset. ~ RFC-6238 is the token standard ~ password RFC-2289 compliant
password ticket ABC-1234 ~ password step-2 ~ password section-4 ~ The password policy-2 document
my token is expired ~ my token is invalid ~ our token is per-user ~ password is not None
if password is None: ~ password was leaked ~ My password is Ann's ~ password's length is 12
password set to expire ~ password changed to comply
The Netflix password is shared with the family. ~ The password is something Ann made up.
wifi key rotation is due ~ The key: keep it simple ~ the safe combination is unknown
The combination is 3 of 5 ~ the login is slow on Chrome 128 ~ login: 42 users / 3 admins
users / groups: 12/34 ~ The user ann, aged 42, moved to Berlin ~ user story US-1234 / Sprint-12
account 1200 / Travel-costs 2026 ~ account: 4711 / Office-supplies-2 ~ User Ann / iPhone-15 Pro
user-agent: Mozilla/5.0 (X11; Linux x86_64) ~ username: ann, role: admin2
log in with ann@example.com and check ~ logged in as ann, session 42
logged in as root with uid=0 ~ login with OAuth2 and PKCE ~ Use OAuth2 as the token flow
That is the password field on form-2 ~ Area-51 is the secret base
Windows-11 is the password manager's host ~ Use SHA-256 as the password hash
Use field-12 as the token column ~ use bcrypt12 as password hash ~ PIN pad is broken
pin it for 2025 ~ my pin is stuck ~ pin-compatible with the 4711 chip
Drop a pin at 4711 Main Street ~ Pinterest pin: 48291345 ~ opcode: 4711 ~ barcode is 48291345
source code is 4000 lines ~ area code is 0304 ~ QR code is on page 1234
the code is 9000 lines long ~ promo code: SAVE20 ~ The code for the parser is in 2024/parser.py
postcode: 1234 ~ the building code is from 1997 ~ the gate code review took 30 minutes
Your verification code is expired after 3600 seconds ~ the access code is valid for 24 hours
access code is 6 digits ~ das Passwort ist mindestens 12 Zeichen lang
Das Passwort ist 12-stellig. ~ das Passwort ist im Tresor ~ das Passwort ist bei Ann
Das Kennwort wurde auf Wunsch geändert ~ Passwort: mindestens 8 Zeichen ~ Passwort: im Tresor
le mot de passe est dans le coffre ~ le mot de passe est chiffré
""".strip().replace("\n", " ~ ")
"""Sentences about passwords, PINs and tokens that hold none, divided by ` ~ `."""

HASHED_IN = (
    "commit {h40}",
    "Merge {h40} into main",
    "fixed in {h7}",
    "git checkout {h40}",
    "sha256:{h64}",
    "image: app@sha256:{h64}",
    '"integrity": "sha512-{b64}=="',
    "sha1 = {h40}",
    "md5: {h32}",
    'etag: "{h32}"',
    "    --hash=sha256:{h64}",
    'checksum = "{h64}"',
    "{h64}  lamina-0.1.0.tar.gz",
    "id: {uuid}",
    "request_id={uuid}",
    "trace {h32} span {h16}",
    "record 01J{ulid}",
    "nonce: {b24}",
    "build {h40} passed",
    "data:image/png;base64,iVBORw0KGgo{b200}",
    "cache key {h64}",
    "digest {h64}",
    "session {uuid} closed",
    "The token bug was fixed in commit {h40}.",
    "public key: {b43}=",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} ann",
    "https://git.test/org/repo/commit/{h40}",
    'resolved "https://r.test/x.tgz#{h40}"',
    "fingerprint SHA256:{b43}",
    "password_hash_version 3, row {uuid}",
    "the key is documented in revision {h40}",
    "token_id: {uuid}",
    "access_key_id: see {uuid}",
    "secret rotation ticket {uuid}",
    "{uuid}",
    "{h40}",
    "{h64}",
    "{b64}",
)


def near_misses(seed: int = 11) -> Iterator[str]:
    """Everything that must be left alone."""
    yield from WRITTEN
    yield from TALK.split(" ~ ")
    draw = Draw(seed)
    for template in HASHED_IN:
        for _ in range(2):
            yield template.format(**_identifiers(draw))


def _identifiers(draw: Draw) -> dict[str, str]:
    ulid = draw.body(23, "0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    unique = uuid.UUID(hashlib.md5(draw.body(12).encode()).hexdigest(), version=4)
    return {
        "h7": draw.body(7, LOWER_HEX),
        "h16": draw.body(16, LOWER_HEX),
        "h32": draw.body(32, LOWER_HEX),
        "h40": draw.body(40, LOWER_HEX),
        "h64": draw.body(64, LOWER_HEX),
        "b24": draw.body(24, ALNUM),
        "b43": draw.body(43, BASE64),
        "b64": draw.body(86, BASE64),
        "b200": draw.body(200, BASE64),
        "uuid": str(unique),
        "ulid": ulid,
    }
