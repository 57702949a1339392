"""Runs `walkaround user`: manages users on the command line, also while a service is running."""

from __future__ import annotations

import argparse
import getpass
import sqlite3
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import event
from sqlmodel import Session, col, select

from service.account import rules, store
from service.account.passwords import hash_password
from service.account.tables import User
from service.changes import BeforeCommit, ObjectChange, announce
from service.db.database import Database, now
from service.db.schema import migrate
from service.settings import Settings
from service.web.envelope import Problem
from shared.limits import MAX_NEW_PASSWORD, MAX_USERNAME, MIN_NEW_PASSWORD
from shared.record.codes import Role

T = TypeVar("T")

# The address that the audit log gets for changes from the command line.
_AUDIT_ADDRESS = "command line"

_FAULTS: dict[rules.CredentialFault, str] = {
    rules.CredentialFault.USERNAME_LENGTH: f"a user name has 1 to {MAX_USERNAME} characters",
    rules.CredentialFault.USERNAME_CHARACTERS: (
        "a user name must not contain spaces, control characters or invisible characters"
    ),
    rules.CredentialFault.PASSWORD_LENGTH: (
        f"a password has {MIN_NEW_PASSWORD} to {MAX_NEW_PASSWORD} characters"
    ),
    rules.CredentialFault.PASSWORD_COMMON: (
        "this password is too common: attackers try it first; choose another"
    ),
    rules.CredentialFault.PASSWORD_IS_USERNAME: "the password must not be the user name",
}


class _UserError(Exception):
    """Raised for a mistake of the user; the text is a sentence for the terminal."""


def main(arguments: Sequence[str], settings: Settings, before_commit: Sequence[BeforeCommit] = ()) -> int:
    """Run one of the `user` commands.

    Returns the exit status: 0 on success, 1 if the command was refused, 2 for wrong usage. `before_commit`
    are listeners that are notified of the changes, such as the audit log.
    """
    options = _parser().parse_args(arguments[1:])
    settings.prepare()
    database = Database(settings.url)
    database.before_commit.extend(before_commit)
    if database.is_sqlite:
        # Only a running service checkpoints the SQLite file; two processes that do could corrupt it.
        event.listen(database.writer, "connect", _no_checkpoint)
    try:
        migrate(database)
        do: Callable[[Database, Settings, argparse.Namespace], None] = options.do
        do(database, settings, options)
    except _UserError as problem:
        print(f"walkaround: {problem}", file=sys.stderr)
        return 1
    finally:
        database.close()
    return 0


def _no_checkpoint(connection: sqlite3.Connection, _record: object) -> None:
    connection.execute("PRAGMA wal_autocheckpoint = 0").close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="walkaround user")
    commands = parser.add_subparsers(required=True, metavar="add|list|enable|disable|password")

    def command(
        name: str, text: str, do: Callable[..., None], *, with_username: bool = True
    ) -> argparse.ArgumentParser:
        parser = commands.add_parser(name, help=text, description=text)
        parser.set_defaults(do=do)
        if with_username:
            parser.add_argument("username", metavar="NAME")
        return parser

    stdin = "read the password from the first line of standard input"
    add = command("add", "add a user", _add_user)
    roles = [role.value for role in Role]
    add.add_argument("--role", action="append", required=True, choices=roles, help="can be repeated")
    add.add_argument("--name", help="the person's name")
    add.add_argument("--password-stdin", action="store_true", help=stdin)
    command("list", "list the users", _list_users, with_username=False)
    command("enable", "allow a user to log in again", _enable_user)
    command("disable", "log a user out everywhere and block further logins", _disable_user)
    password = command("password", "set a new password and log the user out everywhere", _change_password)
    password.add_argument("--password-stdin", action="store_true", help=stdin)
    return parser


def _ask_password(username: str, *, from_stdin: bool) -> str:
    if from_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
    else:
        password = _prompt_password(f"Password for {username}: ")
        if _prompt_password("Again: ") != password:
            raise _UserError("the two passwords differ; nothing was changed")
    fault = rules.password_fault(password, username)
    if fault is not None:
        raise _UserError(_FAULTS[fault])
    return password


def _prompt_password(prompt: str) -> str:
    with warnings.catch_warnings():
        # Without a terminal getpass would show the typed password.
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt)
        except (getpass.GetPassWarning, EOFError) as problem:
            raise _UserError(
                "cannot ask for the password: there is no terminal; pass it on standard input with "
                "--password-stdin"
            ) from problem


def _write_accounts(database: Database, work: Callable[[Session], T]) -> T:
    return database.write_now(lambda session: store.alter_accounts(session, work))


def _find_user(session: Session, username: str) -> User:
    user = store.user_by_name(session, username)
    if user is None:
        raise _UserError(f"there is no user '{username}'; see: walkaround user list")
    return user


def _user_change(action: str, user: User, **details: Any) -> ObjectChange:
    return ObjectChange(action, "user", user.id, None, _AUDIT_ADDRESS, details)


def _add_user(database: Database, settings: Settings, options: argparse.Namespace) -> None:
    username: str = options.username
    fault = rules.username_fault(username)
    if fault is not None:
        raise _UserError(_FAULTS[fault])

    def ensure_name_is_free(session: Session) -> None:
        if store.user_by_name(session, username) is not None:
            raise _UserError(f"the user name '{username}' is taken")

    database.read_now(ensure_name_is_free)
    password = _ask_password(username, from_stdin=options.password_stdin)
    password_hash = hash_password(password, settings.bcrypt_cost)

    def work(session: Session) -> str:
        ensure_name_is_free(session)
        user = store.add_user(
            session, username, password_hash, [Role(role) for role in options.role], options.name
        )
        announce(
            session, _user_change("create", user, username=user.username, roles=sorted(set(options.role)))
        )
        return user.username

    print(f"added {_write_accounts(database, work)}")


def _list_users(database: Database, _settings: Settings, _options: argparse.Namespace) -> None:
    def work(session: Session) -> list[tuple[str, str, str, str]]:
        users = list(session.exec(select(User).order_by(col(User.username_key))))
        roles = store.find_roles(session, [user.id for user in users])
        return [
            (
                user.username,
                ",".join(role.value for role in roles[user.id]),
                "enabled" if user.enabled else "disabled",
                user.name or "",
            )
            for user in users
        ]

    for row in database.read_now(work):
        print("\t".join(row))


def _set_enabled(database: Database, username: str, *, enabled: bool) -> None:
    def work(session: Session) -> str:
        user = _find_user(session, username)
        if user.enabled != enabled:
            try:
                store.set_enabled(session, user, enabled, now())
            except Problem:
                raise _UserError(
                    f"'{user.username}' is the last enabled admin; add another admin first"
                ) from None
            announce(session, _user_change("update", user, enabled=[not enabled, enabled]))
        return user.username

    print(f"{'enabled' if enabled else 'disabled'} {_write_accounts(database, work)}")


def _enable_user(database: Database, _settings: Settings, options: argparse.Namespace) -> None:
    _set_enabled(database, options.username, enabled=True)


def _disable_user(database: Database, _settings: Settings, options: argparse.Namespace) -> None:
    _set_enabled(database, options.username, enabled=False)


def _change_password(database: Database, settings: Settings, options: argparse.Namespace) -> None:
    name = database.read_now(lambda session: _find_user(session, options.username).username)
    password = _ask_password(name, from_stdin=options.password_stdin)
    password_hash = hash_password(password, settings.bcrypt_cost)

    def work(session: Session) -> None:
        user = _find_user(session, name)
        store.set_password(session, user, password_hash, now())
        announce(session, _user_change("update", user, password=True))

    _write_accounts(database, work)
    print(f"changed the password of {name}")
