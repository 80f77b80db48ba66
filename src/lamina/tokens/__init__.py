"""Keys and tokens: how somebody at the other end of a wire shows who they are.

A key is made once, for a principal, and shown once. It is exchanged for tokens that last minutes.
Both lead to the same principal; revoking the key ends both.
"""

from lamina.tokens.keys import Identity, Key, Keys, NewKey, Token

__all__ = ["Identity", "Key", "Keys", "NewKey", "Token"]
