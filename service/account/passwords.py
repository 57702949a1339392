"""Hashes and checks passwords: bcrypt over a keyed hash of the whole password."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from concurrent.futures import ThreadPoolExecutor

import bcrypt

from service.account.rules import password_text

# bcrypt accepts 72 bytes at most; the keyed hash turns any password into 44 characters. The key is public: it
# only prevents a comparison with plain SHA-256 digests stolen elsewhere. A secret key would make a restored
# database depend on the secret file.
_CONTEXT = b"walkaround password v1"

# The end of a bcrypt hash, behind the salt.
_DIGEST_CHARACTERS = 31

# A bcrypt of cost 12 takes about 0.25 s of one core and frees the interpreter lock.
_THREADS = 2


def _prehash(password: str) -> bytes:
    # "surrogatepass": a lone surrogate makes the password wrong and does not raise an error.
    text = password_text(password).encode("utf-8", "surrogatepass")
    return base64.b64encode(hmac.new(_CONTEXT, text, hashlib.sha256).digest())


def hash_password(password: str, cost: int) -> str:
    """Return the bcrypt hash of `password` at `cost` (log2 of the rounds)."""
    return bcrypt.hashpw(_prehash(password), bcrypt.gensalt(cost)).decode("ascii")


def _hash_cost(stored_hash: str) -> int:
    return int(stored_hash.split("$")[2])


class Passwords:
    """Hashes and checks passwords at `cost` on threads of its own."""

    def __init__(self, cost: int) -> None:
        self.cost = cost
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="password")
        # Has the form of a hash, and is compared with one like any other. No password is behind it.
        self._decoy_hash = bcrypt.gensalt(cost).decode("ascii") + "." * _DIGEST_CHARACTERS

    def _check(self, password: str, stored_hash: str | None) -> bool:
        checked_hash = stored_hash or self._decoy_hash
        matches = bcrypt.checkpw(_prehash(password), checked_hash.encode("ascii"))
        # A hash of a lower cost must take as long as one of the current cost, so that the time does not
        # reveal whether the user exists: 2^c + 2^c + 2^(c + 1) + ... + 2^(cost - 1) = 2^cost rounds.
        for cost in range(_hash_cost(checked_hash), self.cost):
            bcrypt.hashpw(_prehash(password), bcrypt.gensalt(cost))
        return matches and stored_hash is not None

    def is_outdated(self, stored_hash: str) -> bool:
        """Return whether `stored_hash` has a lower cost than the current one."""
        return _hash_cost(stored_hash) < self.cost

    async def hash(self, password: str) -> str:
        """Return the hash of `password` at the current cost; computed off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(
            self._pool, hash_password, password, self.cost
        )

    async def check(self, password: str, stored_hash: str | None) -> bool:
        """Return whether `stored_hash` is the hash of `password`; always False for None.

        Takes as long as one hash of the current cost, also for None and for a hash of a lower cost.
        """
        return await asyncio.get_running_loop().run_in_executor(
            self._pool, self._check, password, stored_hash
        )

    def close(self) -> None:
        """Stop the threads."""
        self._pool.shutdown(wait=True)
