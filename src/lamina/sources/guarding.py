"""What is left out of memory by its name alone: hidden files, keys and certificates. Pure.

Memory is read by agents and models. What lies hidden is seldom meant for them, and a key never is.
"""

import re
from typing import Final

HIDDEN: Final = "hidden, as its name begins with a dot"
KEY: Final = "a key, certificate or file of passwords, by its name"
_KEYS: Final = re.compile(
    r".*\.(?:pem|key|p8|p12|pfx|pkcs12|jks|keystore|kdbx|ppk|env|htpasswd)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?",
    re.IGNORECASE | re.DOTALL,
)


def reason_to_guard(name: str) -> str:
    """Why a file or folder of this name is left out unless somebody asks for it; empty if not."""
    if name.startswith("."):
        return HIDDEN
    return KEY if _KEYS.fullmatch(name) else ""
