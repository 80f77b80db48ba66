"""Recognising API keys, tokens, passwords and private keys in what people and agents write.

Pure: a text goes in, spans come out. Sealing what was found is `lamina.sealing`'s business. A
random string alone is no secret (it may be a commit, a digest, an id): its form or its context must
say so.
"""

from lamina.core.secrets.fields import is_secret_field, is_secret_member, named_values
from lamina.core.secrets.finder import find_called, find_secrets
from lamina.core.secrets.spans import Secret
from lamina.core.secrets.values import is_placeholder

__all__ = [
    "Secret",
    "find_called",
    "find_secrets",
    "is_placeholder",
    "is_secret_field",
    "is_secret_member",
    "named_values",
]
