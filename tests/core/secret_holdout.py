"""Samples written after the detectors were tuned, in phrasings the tuning had not seen."""

from collections.abc import Iterator

from tests.core.secret_samples import (
    ALNUM,
    BASE64,
    LOWER_HEX,
    UPPER,
    URL_SAFE,
    Draw,
    Sample,
    stated,
)

SECRETS_IN = (
    "hey, the prod api key changed, new one: {}",
    "OPENAI_KEY: {}",
    "STRIPE_SECRET={} npm start",
    "Auth token -> {}",
    'config.set("api_secret", "{}")',
    "x-auth-token: {}",
    "secret={}\\n",
    '{{"headers": {{"Authorization": "Bearer {}"}}}}',
    "ENV API_TOKEN {}",
    "  - name: API_TOKEN\n    value: {}",
    "os.environ['SERVICE_TOKEN'] = '{}'",
    "let token = `{}`;",
    'private val apiKey = "{}"',
    "gh auth login --with-token <<< {}",
    "vault write secret/app token={}",
    "Your new access key: {}",
    "Our Datadog API key is {} (rotates monthly)",
    "the signing secret we use is {}",
    "set-cookie: session_token={}; HttpOnly",
    "kubectl create secret generic x --from-literal=token={}",
)
PASSWORDS_IN = (
    "Login: admin / Password: {}",
    "pw is {}",
    "remember that my wifi password is {}",
    "DB_PASS={}",
    "The admin password for Grafana: {}",
    "Kennwort für den Router: {}",
    "Passwort = {}",
    "mdp : {}",
    "contraseña del wifi: {}",
    "mysql://root:{}@127.0.0.1:3306/shop",
    "ftp://bob:{}@files.test/",
    'password => "{}"',
    "ansible_ssh_pass={}",
    "spring.mail.password: {}",
    "$password = '{}';",
    "his new password is {} now",
    "echo {} | sudo -S true  # password",
    "net use x: /user:ann password:{}",
    "ALTER ROLE app WITH PASSWORD '{}';",
    'POSTGRES_PASSWORD: "{}"',
)
# A second set, written when the first had been used to improve the detectors; `combo: ...` and
# `credentials ann / ...` are known misses.
MORE_IN = (
    "FYI the key for our mail provider is {r}",
    "please store this: GitHub token {g}",
    "rotate AWS_SECRET_ACCESS_KEY from {b}",
    "{{'user': 'ann', 'passwd': '{p}'}}",
    "amqps://svc:{p}@mq.test:5671/%2f",
    "kafka: sasl.password={p}",
    "jdbc:mysql://h/db?user=a&password={p}",
    "Account password - {p}",
    "Use {p} as the password",
    "old password {p}, new one pending",
    "his pin/password combo: {p}",
    "The secret is {r}.",
    "API-Key={r}",
    "bot token: {t}",
    'MY_APP_SECRET="{r}"',
    "Passwort vom NAS: {p}",
    "mot de passe : {p}",
    "clave: {p}",
    "sudo password is {p}",
    "export GH_TOKEN={g}",
    "-H 'X-Auth-Token: {r}'",
    "Bearer {r}",
    "token ({r}) works",
    "password\n{p}",
    "credentials ann / {p}",
)
MORE_QUIET = """
The access token is refreshed silently.
Password reset emails are sent from noreply@h.test.
The secret manager stores 12 entries.
token: 'abc' is too short
Set PASSWORD before running.
password=None
secret=False
token="",
the key 'name' is missing
KeyError: 'password'
key = hash(f"{user}:{day}")
apiKey: string;
interface Auth { token: string; password?: string }
password!: string;
@Column() password: string;
String token = request.getHeader("Authorization");
$token = $request->bearerToken();
token = Token.objects.get(user=user)
password = User.objects.make_random_password()
if (!password) return;
password.length > 8
expect(token).toBeDefined()
token => token.type === 'ident'
.password-input { color: red; }
#password { width: 100px }
password-confirm
id="password-field-2"
See RFC 6750 for bearer token usage.
The bearer token was missing in request 4212.
OAuth 2.0 access token response
token_endpoint_auth_method: client_secret_basic
grant_type=client_credentials
scope=openid+profile
Rate limit: 5000 requests per token per hour
Ann lost her password on 3 May.
The passcode for the meeting is in the invite.
Door code changed last week.
Cost: 0.15 per 1M tokens
context window of 200000 tokens
The secret project ships in Q3 2027.
Secrets are mounted at /run/secrets/app.
private key permissions are 0600
ssh -i ~/.ssh/deploy_key host
gpg --export-secret-keys
openssl rand -hex 32
echo $API_KEY
unset TOKEN
password rotated 2026-10-01
API key ends in 4f2a
last4=4242 token=tok
""".strip().splitlines()
QUIET = """
We rotate every token quarterly.
Rename token to access_token in the response.
Password strength meter shows 4 of 5 bars.
The new password must differ from the last 5.
password_min_length = 12
PASSWORD_RESET_TIMEOUT = 3600
AUTH_PASSWORD_VALIDATORS = []
secret_key_base is read from the credentials file
raise ValueError("password too short")
logger.info("token refreshed for %s", user)
function setPassword(password) { this.password = password }
private String password;
public Token nextToken() throws IOException
token := lexer.Next()
token, err := jwt.Parse(raw, keyFunc)
val token: Token = parser.current
var apiKey = Configuration["Api:Key"];
api_key=API_KEY,
password=settings.DB_PASSWORD
password=password,
secret = get_secret("db")
client_secret = var.client_secret
password = data.vault_generic_secret.db.data["password"]
password = random_password.db.result
valueFrom: {secretKeyRef: {name: db, key: password}}
- name: DB_PASSWORD
imagePullSecrets: regcred
Secret "db-credentials" created
secret/db-credentials unchanged
error: invalid token (401)
Token validation failed: signature mismatch
401 Unauthorized: bad credentials
Access token expires at 2026-11-15T12:00:00Z
token ttl: 24h
token lifetime is 3600s
API key quota: 1000/day
The API key has 3 scopes.
Where do I put the API key?
Never commit an API key.
An access key has an id and a secret.
The key to success is practice.
Encryption key rotation takes 15 minutes.
The signing key is an RSA key of 4096 bits.
The password is case sensitive.
The password is hashed with argon2id and 19 MiB.
My password is always rejected.
The password is Ann's birthday.
Is the password stored?
Passwort ändern
Das Passwort muss 8 Zeichen haben.
Das Passwort ist sicher.
Passwort: siehe Tresor
Le mot de passe doit contenir 8 caractères.
Le mot de passe est trop court.
La contraseña es demasiado corta.
La contraseña es segura.
Contraseña: obligatoria
Tokens used: 1834/4096
max_new_tokens=512
token_ids = [101, 2054, 102]
Each word is about 1.3 tokens.
special_tokens_map.json
A token is roughly 4 characters.
num_tokens: 77
secrets.compare_digest(a, b)
Secret Service agents arrived at 9.
Top secret until 2045.
The secret recipe has 11 herbs and spices.
Keep it secret, keep it safe.
pass the salt
They pass 12 checkpoints on the way.
passport number X1234567
Pass@1 on HumanEval is 67.0
mountain pass at 2473 m
https://api.test/v1/users?page=2&sort=name
https://cdn.test/app.3f2a9c1b.js
http://127.0.0.1:8000/docs#/auth
ws://localhost:9000/socket?room=42
file:///usr/share/doc/openssl/README.md
s3://bucket/path/part-00001-of-00042.parquet
urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8
user@host:~/src$ ls -la
npm notice integrity: sha512-abc123
requests==2.32.3 ; python_version >= "3.11"
rev = "v0.9.1"
Ran 214 tests in 3.118s
model: claude-sonnet-4-20250514
gpt-4o-mini-2024-07-18
text-embedding-3-small
color: #a1b2c3
MAC 00:1a:2b:3c:4d:5e
10.0.0.0/16 via 10.0.0.1
""".strip().splitlines()
# A third and a fourth set, written when "the password is ..." had been widened. At first sight 33
# of 40 and 16 of 20 statements were found, and 3 of 60 and 0 of 40 near-misses taken for one.
STATED_IN = """
Heads-up, the Zoom passcode changed: {d} ~ Could you store my Steam password, which is {w}
the shared Figma login is design@studio.test / {s} ~ Our Jenkins admin password remains {w}
Password for user 'report': {w} ~ db user: reporting, db password: {w}
For staging use password {w} until Friday ~ The unlock PIN on Ann's tablet is {d}
I keep forgetting it: my laptop password is {p} ~ passphrase for the backup drive: {w}
Password reset done, new password: {w} ~ the pw on the NAS is still {w}
Router login: admin / {s} ~ my GitHub token is {w} ~ Slack bot secret is {w} ~ sudo pw: {p}
wpa key = {w} ~ The password you asked for: {w} ~ Mein Amazon-Passwort ist {w}
Passwort für den Gastzugang: {w} ~ Der Zugangscode fürs Büro ist {d}
Zugangsdaten für Jira: ann / {s} ~ Das Root-Passwort ist jetzt {w}. ~ PIN fürs Handy: {d}
Benutzername ann, Kennwort {w} ~ Le mot de passe admin est {w}
Mot de passe du compte Google : {w} ~ mon code PIN est le {d} ~ Identifiants VPN : ann / {s}
le mdp de la box est {w} ~ La contraseña del router es {w} ~ Mi contraseña de Gmail es {p}
usuario: ana / clave: {w} ~ el PIN de mi tarjeta es {d} ~ la nueva clave es {w}
amqps://svc:{w}@mq.internal:5671/prod ~ Log in to Grafana as viewer with {s}
Ann said the Dropbox password is {w}, keep it ~ pwd for prod-db: {w}
My email password was {p} before I changed it ~ the HR portal password is {w}
user svc_report / password {w} ~ Guest Wi-Fi: "Cafe Blue", password {w} ~ my voicemail PIN is {d}
garage code is {d} ~ Admin credentials: root / {w} ~ The keystore password is {w}
I set the router password to {w}. ~ Passwort fürs Archiv: {w} ~ Das Admin-Kennwort ist {w}
Der Code für die Haustür ist {d} ~ Mon mot de passe est {w} ~ Le code d'accès est {d}
La contraseña de la base de datos es {w} ~ mi contraseña: {p} ~ mysql://app:{w}@10.0.0.8/shop
our deploy token is {w}
"""
TALK = """
The password is hard to guess. ~ The password is only known to Ann.
the password is shorter than 12 characters ~ The password is checked against a breach list.
My password is over 20 characters long. ~ my password is really bad
the new password is different ~ the admin password is unset
Your password is about to expire in 14 days. ~ password is mandatory
the password is written on page 12 ~ Password: must contain a digit ~ Password: optional
password: Secret[str] ~ password: PasswordStr | None ~ password: config.dbPassword,
password: props.value ~ passwords are synced every 15 minutes
The passphrase is longer than the PIN. ~ The PIN is entered twice. ~ PIN: 4-6 digits
a PIN is a 4-digit number ~ pin 7 of the connector is ground ~ pinned to 1.2.3 in the lock file
The token is valid for 30 minutes. ~ token is refreshed every 3600 seconds
the token is base64url ~ our token is scoped to read:user ~ The token is issued by Keycloak-24
The secret is rotated by Vault 1.15 ~ The secret is mounted at /run/secrets
credentials are cached for 12 hours ~ credentials: read from ~/.aws/credentials
login took 1532 ms ~ login failed for user ann, attempt 3/5 ~ user ann / team Blue-2
User: ann, plan: Pro-2024 ~ account 4711, balance 12.50
log in with your work account, then open tab 2 ~ The login code path is 200 lines
error code is 1045 (access denied) ~ The door code policy changes in 2027.
access code: see the invite of 12 May ~ promo code is WINTER24 ~ das Passwort ist zu einfach
Das Passwort ist verschlüsselt. ~ das Passwort ist dasselbe wie 2024
Das Kennwort ist mindestens 14 Zeichen lang. ~ Passwort: erforderlich ~ Die PIN ist vierstellig.
Die PIN ist gesperrt. ~ Le mot de passe est trop simple.
le mot de passe est partagé entre 3 personnes ~ Mot de passe : 8 caractères minimum
le code PIN est bloqué ~ La contraseña es muy larga. ~ la contraseña es temporal
Contraseña: mínimo 8 caracteres ~ La clave es empezar en 2025. ~ el PIN es de 4 dígitos
The password is too obvious. ~ the password is eight characters long
The password is two words and a number ~ my password is similar to the old one
The Wi-Fi password is printed on the receipt. ~ password is sent in clear text over port 8080
Password: eight or more characters ~ password: the usual one ~ The admin password is in Bitwarden.
Passwords: 3 weak, 2 reused ~ the PIN is printed on the letter ~ Enter your PIN and press 1
PIN attempts left: 3 ~ the pin header has 40 pins ~ The token is cached in Redis-7
the secret is shared by team-4 ~ user 42 / 1000 processed
user ann / last seen 2026-11-15T10:00:00Z ~ login: OK (200) ~ Login with SAML2 and Okta
account: ann, tier: Gold-2 ~ credentials for team-7 expire on 2026-12-01
access code expires in 2027 ~ my code is 3000 lines long ~ Das Passwort ist mit Argon2id gehasht.
Das Passwort ist seit 2019 unverändert. ~ Le mot de passe est valable 90 jours.
La contraseña es válida por 90 días. ~ El token es válido hasta 2027.
Zugangscode: siehe Brief vom 12.05.2026 ~ const password = faker.internet.password(12)
password: Schema.String ~ type Credentials = { user: string; password: string }
password: hashPassword(raw) ~ @password = params[:password] ~ password="$(cat /run/secrets/db)"
Token: Bearer ~ Secret: Opaque ~ token: csrf ~ passphrase: prompt
""".strip().replace("\n", " ~ ")
QUIET_HASHED = (
    "HEAD is now at {h40}",
    "blob {h40}",
    "Digest: sha256:{h64}",
    "cherry-picked from {h40} (token fix)",
    "job {h32} finished",
    "X-Request-Id: {h32}",
    "go.sum h1:{b44}=",
    "upload part etag {h32}",
)


def held_out_credentials(seed: int = 23) -> Iterator[Sample]:
    """Some hundred and thirty credentials."""
    draw = Draw(seed)
    bodies = (("", 40, BASE64), ("", 32, LOWER_HEX), ("", 28, ALNUM), ("tok_", 24, ALNUM))
    for number, template in enumerate(SECRETS_IN):
        prefix, length, alphabet = bodies[number % len(bodies)]
        value = prefix + draw.body(length, alphabet)
        yield Sample(template, template.format(value), value)
    for template in PASSWORDS_IN:
        value = draw.password().replace("%", "!").replace("#", "_")
        yield Sample(template, template.format(value), value)
    yield from _more(draw)
    yield from stated(STATED_IN, draw)
    shaped = (
        "ghp_" + draw.body(36),
        "AKIA" + draw.body(16, UPPER),
        "glpat-" + draw.body(26, URL_SAFE),
        "sk-proj-" + draw.body(64, URL_SAFE),
        "xoxb-" + draw.body(40),
        "AIza" + draw.body(35, URL_SAFE),
        "npm_" + draw.body(36),
        "hf_" + draw.body(34),
        draw.jwt(),
        "sk_live_" + draw.body(99),
    )
    carriers = ("({})", "key\t{}\n", "[link](https://h.test/?t={})", "'{}'", "a={}|b=2")
    for number, value in enumerate(shaped):
        carrier = carriers[number % len(carriers)]
        yield Sample(carrier + value[:5], carrier.format(value), value)


def _more(draw: Draw) -> Iterator[Sample]:
    for template in MORE_IN:
        values = {
            "r": draw.body(30),
            "g": "ghp_" + draw.body(36),
            "b": draw.body(40, BASE64),
            "p": draw.password().replace("%", "!").replace("#", "_"),
            "t": "1" * 9 + ":" + draw.body(35, URL_SAFE),
        }
        [name] = [name for name in values if "{" + name + "}" in template]
        yield Sample(template, template.format(**values), values[name])


def held_out_near_misses(seed: int = 29) -> Iterator[str]:
    """Two hundred and fifty texts without a secret."""
    yield from QUIET
    yield from TALK.split(" ~ ")
    yield from MORE_QUIET
    draw = Draw(seed)
    for template in QUIET_HASHED:
        yield template.format(
            h32=draw.body(32, LOWER_HEX),
            h40=draw.body(40, LOWER_HEX),
            h64=draw.body(64, LOWER_HEX),
            b44=draw.body(43, BASE64),
        )
