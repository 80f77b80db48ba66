"""Every exception Lamina raises on purpose.

LaminaError
├── InvalidInputError          the call is wrong; fix the call
├── NotFoundError              not there, or not yours to know about
├── ForbiddenError             your role may not do this
├── UnauthenticatedError       nobody knows who you are; show a valid key or token
├── ConflictError              someone changed it first; re-read and retry
├── UnsupportedError           this store cannot do that; pick another
├── SecretError                a sealed value cannot be sealed or opened
├── EmbedderError              what makes vectors answered wrongly or refused
│   └── EmbedderUnavailableError  ... it is down or slow; retry later
├── ModelError                 a model that chats answered wrongly or refused
│   ├── ModelUnavailableError  ... it is down or slow; retry later
│   └── BudgetError            ... it may not be asked: the tokens allowed are spent
├── BusyError                  somebody else is at it; wait until they have finished
└── StoreError                 the store failed
    ├── StoreUnavailableError  ... and may recover; retry later
    ├── StoreReadOnlyError     ... it can be read, not written
    ├── StoreFullError         ... no room is left
    ├── StoreVersionError      ... it belongs to another version of Lamina
    └── StoreDamagedError      ... what is on disk is not what was written
        └── IndexDamagedError  ... but it was derived and can be built again

An error carries a stable `code`, the same in the library, on the command line and over the
network, and a `remedy`: what a person can do next.
"""

from typing import ClassVar


class LaminaError(Exception):
    """Base of every deliberate error; catch this to catch them all."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False
    """Whether the same call may succeed later without being changed."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}. {self.remedy}" if self.remedy else self.message


class InvalidInputError(LaminaError, ValueError):
    """The call is wrong and will stay wrong until it is changed."""

    code = "invalid_input"


class NotFoundError(LaminaError, LookupError):
    """Nothing is there, or nothing the caller may know about: the two look the same."""

    code = "not_found"


class ForbiddenError(LaminaError):
    """The caller can see it but its role may not do this."""

    code = "forbidden"


class UnauthenticatedError(LaminaError):
    """No key or token was shown, or one that is unknown, expired or revoked: all look the same."""

    code = "unauthenticated"


class ConflictError(LaminaError):
    """Someone changed the record first; read it again and decide."""

    code = "conflict"


class UnsupportedError(LaminaError):
    """This store declares that it cannot do what was asked."""

    code = "unsupported"


class SecretError(LaminaError):
    """A secret cannot be sealed or opened: the key file is missing, unsafe or not the right one."""

    code = "secret_error"


class EmbedderError(LaminaError):
    """The embedder refused or answered wrongly; what was written is kept, without its vector."""

    code = "embedder"


class EmbedderUnavailableError(EmbedderError):
    """The embedder is down, busy or too slow and may recover."""

    code = "embedder_unavailable"
    retryable = True


class ModelError(LaminaError):
    """The model refused or answered what cannot be read; nothing was changed by it."""

    code = "model"

    def __init__(self, message: str, *, remedy: str = "", tokens: int = 0) -> None:
        super().__init__(message, remedy=remedy)
        self.tokens = tokens
        """How many tokens it may have cost all the same, about."""


class ModelUnavailableError(ModelError):
    """The model is down, busy or too slow and may recover."""

    code = "model_unavailable"
    retryable = True


class BudgetError(ModelError):
    """As many tokens as were allowed for models are spent."""

    code = "budget"


class BusyError(LaminaError):
    """Somebody else is at it and alive; it is free again when they have finished."""

    code = "busy"
    retryable = True


class StoreError(LaminaError):
    """The store failed; nothing that was not acknowledged should be relied on."""

    code = "store_error"


class StoreUnavailableError(StoreError):
    """The store is busy or out of reach and may recover."""

    code = "store_unavailable"
    retryable = True


class StoreReadOnlyError(StoreError):
    """The store can be read but not written."""

    code = "store_read_only"


class StoreFullError(StoreError):
    """No room is left on the device; what was acknowledged is kept."""

    code = "store_full"
    retryable = True


class StoreVersionError(StoreError):
    """The store was written by another version of Lamina that this one must not touch."""

    code = "store_version"


class StoreDamagedError(StoreError):
    """What is on disk is not what was written."""

    code = "store_damaged"


class IndexDamagedError(StoreDamagedError):
    """A derived index file is damaged or somebody else's; the records are not touched by it."""

    code = "index_damaged"
