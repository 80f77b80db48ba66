"""The vocabulary of secrets: what they are called, and the words that only look like one."""

from typing import Final


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


PASSWORD_WORDS: Final = _set(
    "password passwd passphrase passcode passwort kennwort pwd pw psw mdp motdepasse "
    "contraseña contrasena senha wachtwoord пароль 密码 密碼 パスワード "
    "passwords sshpass pgpassword"
)
"""Names whose value a person chose, so it may be short and need not look random."""

TOKEN_WORDS: Final = _set(
    "secret token credential credentials creds apikey accesskey secretkey privatekey "
    "authkey authtoken accesstoken refreshtoken clientsecret apitoken apisecret "
    "authorization sessionid bearer jwt"
)
"""Names whose value a machine drew."""

KEY_QUALIFIERS: Final = _set(
    "api access secret private auth encryption signing signature master account shared ssh "
    "deploy admin storage subscription webhook hmac aes decryption app application service "
    "client license consumer write ingest ingestion integration role functions host"
)
"""What makes a `key` secret when it stands before it; `primary`, `cache`, `public` do not."""

PASS_QUALIFIERS: Final = _set(
    "db database smtp mail email user admin root login mysql postgres pg redis ftp sftp ssh "
    "sudo wifi auth http proxy rabbitmq mongo ldap imap vpn basic my"
)

HARMLESS_BEFORE_TOKEN: Final = _set(
    "page next continuation cursor sync eos bos pad unk mask sep cls special stop start end "
    "max min per cancel cancellation first last previous prev lexer syntax design num input "
    "output"
)

HARMLESS_FIRST_WORDS: Final = _set(
    "is has use uses show reset forgot forget requires require required need needs no "
    "without allow enable disable num max min count total validate check verify hide toggle "
    "generate"
)

QUALIFYING_LAST_WORDS: Final = _set(
    "prod production staging stage dev development test live old new current previous "
    "backup value plain plaintext raw b64 base64 confirm confirmation again primary "
    "secondary main default"
)

NAMING_MEMBERS: Final = (
    "name", "key", "field", "label", "variable", "var", "header", "setting", "param", "parameter",
    "env", "property", "attribute",
)  # fmt: skip
VALUE_MEMBERS: Final = ("value", "val", "values", "content", "default")
"""The two halves of an object that names its value: `{"name": ..., "value": ...}`."""

PLACEHOLDER_MARKS: Final = _set(
    "your yours placeholder redacted changeme changeit replaceme example insert replace "
    "todo fixme dummy masked hidden removed sealed"
)
"""One of these is enough, as long as no foreign word stands beside it."""

PLACEHOLDER_WORDS: Final = _set(
    "a an api key keys token tokens secret secrets password passwords passwd pwd pw pass "
    "passphrase here my the access auth client id me change replace this with insert put "
    "enter sample fake foo bar baz foobar test testing value string str text type bearer "
    "basic bytes none null nil undefined true false yes no on off private public user "
    "username name some any new old goes real actual from to of and or is it app service "
    "project openai anthropic github aws google stripe slack account credential credentials "
    "login admin's host localhost xxx abc xyz_ goes-here prod default demo mock stub empty "
    "blank unset required optional int number boolean bool object varchar char charfield "
    "secretstr env environ environment variable var config settings vault passwort kennwort "
    "mot de passe contraseña su tu dein deine votre ihr hier aqui ici"
)
"""Without a digit among them, a value made of these alone protects nothing."""

FUNCTION_WORDS: Final = _set(
    "the a an in on at to for of by with from and or not be is are was were must should can "
    "will your you it its this that if when must has have as do does please at than too der "
    "die das ist und nicht le la les est et pas el los es y no un una une ein eine i we he "
    "she they my"
)

NEVER_VALUES: Final = FUNCTION_WORDS | _set(
    "wrong weak short long empty blank incorrect correct invalid valid secret mandatory "
    "optional strong secure insecure unsafe now still also always never only here there "
    "below above missing null none unknown public private safe fine ok okay good bad same "
    "different plain case-sensitive kept sent set unset lost gone known written shown "
    "hidden taken broken about up down out being just very really so what where which who "
    "how because but then there's going used old new string str text bytes int bool number "
    "type field file hash salt reset policy manager change protected management "
    "authentication based generator generation prompt length strength input value values "
    "name names store storage rotation leak leaks count limit limits usage budget budgets "
    "bucket economy ring endpoint refresh expiry types per auth user users login via into "
    "through after before during while until once again and falsch richtig leer abgelaufen "
    "ungültig nicht noch schon immer zu sehr incorrecta válida expirado caducada vacía "
    "obligatorio obligatoria incorrect expiré vide faux obligatoire requis trop très muy "
    "demasiado visible everything nothing something someone anything easy hard simple "
    "complex difficult important sensitive confidential personal temporary permanent bcrypt "
    "scrypt keyring vault yes no true false undefined nil opaque stale fresh unique random "
    "static dynamic global local ready live dead due off on bearer basic digest oauth "
    "string; required"
)
"""Words that follow "password is" in prose, in code or in a table without being the password."""

PROSE_WORDS: Final = _set(
    "gibberish temporal temporaire temporär même misma mine yours ours theirs terrible awful "
    "horrible poor crap rubbish trash nonsense identical equal similar longer shorter stronger "
    "weaker better worse clear cleartext plaintext encrypted-at-rest one-time single-use "
    "up-to-date out-of-date read-only write-only obsolete legacy standard default shared common "
    "unclear uncertain forgotten stolen compromised exposed leaked pending enough insufficient "
    "trivial obvious boring silly stupid great perfect nice cool ugly funny weird strange odd "
    "crucial vital essential critical case-insensitive too-short too-long ambiguous alphanumeric "
    "numeric german english french spanish online offline absent present available unavailable "
    "elsewhere somewhere everywhere nowhere inside outside today tomorrow yesterday tonight soon "
    "later expire already yet ever often sometimes kaputt geheim sicher unsicher schwach stark "
    "kurz lang einfach schwer leicht gut schlecht neu gleich identisch bekannt unbekannt nötig "
    "pflicht weg verloren vergessen fehlerhaft korrekt erforderlich notwendig hier dort unten "
    "oben da dabei drin drauf zwingend sensibel alt faible fort forte court courte longue sûr "
    "sûre mauvais mauvaise bon bonne nouveau nouvelle ancien ancienne identique perdu perdue "
    "connu connue inconnu inconnue nécessaire facultatif là ici dessous requise secrète débil "
    "fuerte corta corto larga largo segura seguro mala malo buena bueno nueva nuevo vieja igual "
    "idéntica desconocida necesaria necesario opcional aquí allí abajo requerida correcta secreta "
    "fácil difícil falsa vencida inválida siehe voir véase ver see ask fragen demander unchanged "
    "tbd todo n/a right young tricky tough popular rare generic specific remote internal external "
    "spoken found accurate full complete incomplete forbidden open obscure eternal alphabetic "
    "ascii unicode hexadecimal decimal lowercase uppercase mixed-case newer older best worst "
    "strongest inadequate adequate dumb clever smart garbage junk hers done over away back "
    "anywhere per-device per-user on-disk overdue late modern historic server-side client-side "
    "cryptic verbose terse tiny huge large small medium minimal maximal moot zero ephemeral "
    "volatile genuine authentic bogus experimental custom bespoke fair rich solid robust fragile "
    "brittle sound imperfect alright awesome voll privat zurückgesetzt komplex anders verschieden "
    "verborgen hinterlegt erraten ausreichend unzureichend vorgegeben voreingestellt aktiv "
    "inaktiv veraltet aktuell streng egal super valide invalide complexe compromis aléatoire prêt "
    "robuste confidentiel personnel pública compleja oculta insegura única aleatoria lista "
    "antigua numérica distinta"
)
"""More words that end "the password is ..." without being the password."""

PROSE_ENDINGS: Final = tuple(
    "ive ical onal ial ual istic less ness ity ised ized ished ory ent ant lich bar haft isch los "
    "iert elt é ée és eux euse ique ado ada ido ida ivo iva ente ante ble ig wn th 's "
    "’s n't".split()
)
"""How adjectives and participles end in English, German, French and Spanish."""

CODE_WORDS: Final = _set(
    "str string text bytes byte char hash hashed field input output type types value values var "
    "env config settings setting param params arg args option options form request req body data "
    "user username pass password passwd pwd passphrase secret token key credential credentials "
    "creds cred auth login null none nil undefined void any unknown object number int integer "
    "bool boolean buffer array list dict map optional maybe encrypted plain raw ref props state "
    "event model schema column varchar required sensitive masked redacted hidden prompt stdin "
    "file path vault keychain keyring env"
)
"""Words in the names that code gives to a password's type or variable."""

NUMBERED_THINGS: Final = _set(
    "item step field option chapter page row line column col section part phase level version node "
    "user test group team table figure fig type class case rule tier stage round attempt day week "
    "sprint release build server host client slot index entry article appendix annex question"
)
"""What `step-3` and its like count: never a password by itself."""
