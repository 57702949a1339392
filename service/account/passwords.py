"""Hashes and checks passwords: bcrypt over a keyed hash of the whole password."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import secrets
from concurrent.futures import ThreadPoolExecutor

import bcrypt

from service.account.rules import password_text

# bcrypt looks at 72 bytes and refuses more; the keyed hash makes 44 characters of any password. The key is
# public: it keeps the hash from being looked up among plain SHA-256 digests stolen elsewhere, while a
# restored database stays good without the secret file.
_CONTEXT = b"walkaround password v1"

# A bcrypt of cost 12 takes about 0.25 s of one core and frees the interpreter lock.
_THREADS = 2


def _prehash(password: str) -> bytes:
    # "surrogatepass": a broken surrogate makes a wrong password, not an error.
    text = password_text(password).encode("utf-8", "surrogatepass")
    return base64.b64encode(hmac.new(_CONTEXT, text, hashlib.sha256).digest())


def hashed(password: str, cost: int) -> str:
    """The stored form of `password` at `cost` (log2 of the rounds)."""
    return bcrypt.hashpw(_prehash(password), bcrypt.gensalt(cost)).decode("ascii")


def _cost(stored: str) -> int:
    return int(stored.split("$")[2])


class Passwords:
    """Hashes and checks passwords at `cost` on threads of its own."""

    def __init__(self, cost: int) -> None:
        self.cost = cost
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="password")
        self._nobody = self._pool.submit(hashed, secrets.token_urlsafe(32), cost)

    def _check(self, password: str, stored: str | None) -> bool:
        stored_hash = stored or self._nobody.result()
        right = bcrypt.checkpw(_prehash(password), stored_hash.encode("ascii"))
        # A check of an older cost takes as long as one of today's, so that its time does not reveal the user:
        # 2^c + 2^c + 2^(c + 1) + ... + 2^(cost - 1) = 2^cost rounds.
        for cost in range(_cost(stored_hash), self.cost):
            bcrypt.hashpw(_prehash(password), bcrypt.gensalt(cost))
        return right and stored is not None

    def is_outdated(self, stored: str) -> bool:
        """True when `stored` was made at a lower cost than today's."""
        return _cost(stored) < self.cost

    async def hash(self, password: str) -> str:
        """`hashed` at today's cost, off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, hashed, password, self.cost)

    async def check(self, password: str, stored: str | None) -> bool:
        """Whether `password` is the one `stored` was made of; None is never right.

        Takes as long as one hash of today's cost, also for None and for a hash of an older cost.
        """
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._check, password, stored)

    def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown(wait=True)
