"""Translates the results of checks: the texts of both sides of `walkaround doctor`."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from desktop.localization.language import QT_TRANSLATE_NOOP
from shared.system.checkup import CheckResult

TEXTS = (
    QT_TRANSLATE_NOOP("Doctor", "database {file} is intact"),
    QT_TRANSLATE_NOOP("Doctor", "Python {version}"),
    QT_TRANSLATE_NOOP("Doctor", "the database is damaged ({problem})"),
    QT_TRANSLATE_NOOP("Doctor", "stop the service and restore a backup"),
    QT_TRANSLATE_NOOP("Doctor", "{count} finished records differ from their seals"),
    QT_TRANSLATE_NOOP("Doctor", "the audit log was changed ({problem})"),
    QT_TRANSLATE_NOOP("Doctor", "run “walkaround audit verify” and compare with a backup"),
    QT_TRANSLATE_NOOP("Doctor", "the database does not protect the audit log against changes"),
    QT_TRANSLATE_NOOP(
        "Doctor",
        "start the service once: it restores the protection. Then run: walkaround audit verify",
    ),
    QT_TRANSLATE_NOOP("Doctor", "audit log and {checked} of {total} finished records are unchanged"),
    QT_TRANSLATE_NOOP("Doctor", "files are stored in {place}"),
    QT_TRANSLATE_NOOP("Doctor", "data folder {folder} cannot be created or written"),
    QT_TRANSLATE_NOOP("Doctor", "{parent} is a file; name another folder with --data-dir"),
    QT_TRANSLATE_NOOP("Doctor", "give this user permission to write in {parent}"),
    QT_TRANSLATE_NOOP("Doctor", "data folder {folder} does not exist yet"),
    QT_TRANSLATE_NOOP("Doctor", "the service creates it at its first start"),
    QT_TRANSLATE_NOOP("Doctor", "data folder {folder} is open to other users"),
    QT_TRANSLATE_NOOP("Doctor", "run: chmod 700 '{folder}'"),
    QT_TRANSLATE_NOOP("Doctor", "data folder {folder}"),
    QT_TRANSLATE_NOOP(
        "Doctor", "{room} GB free for data, less than WALKAROUND_DISK_RESERVE_BYTES: uploads are refused"
    ),
    QT_TRANSLATE_NOOP("Doctor", "free some space, or move the data folder to a larger disk"),
    QT_TRANSLATE_NOOP("Doctor", "{name} database at revision {revision}"),
    QT_TRANSLATE_NOOP("Doctor", "the next start upgrades it to {newest}"),
    QT_TRANSLATE_NOOP("Doctor", "{used} of the file quota is used: uploads are refused"),
    QT_TRANSLATE_NOOP("Doctor", "run: walkaround files unused, or raise WALKAROUND_FILES_QUOTA_BYTES"),
    QT_TRANSLATE_NOOP("Doctor", "{count} files of the tile cache are damaged: {folder}"),
    QT_TRANSLATE_NOOP("Doctor", "delete them; they are created again when a picture is opened"),
    QT_TRANSLATE_NOOP("Doctor", "tile cache"),
    QT_TRANSLATE_NOOP("Doctor", "no backups are made on a schedule"),
    QT_TRANSLATE_NOOP(
        "Doctor",
        "choose a folder on another disk under Administration, Backups, or set WALKAROUND_BACKUP_TO",
    ),
    QT_TRANSLATE_NOOP("Doctor", "there is no backup in {place}"),
    QT_TRANSLATE_NOOP("Doctor", "the service makes one within minutes of its start; its log says why not"),
    QT_TRANSLATE_NOOP("Doctor", "the newest of {count} backups is {hours} hours old"),
    QT_TRANSLATE_NOOP("Doctor", "the log of the service says why no newer one was made"),
    QT_TRANSLATE_NOOP("Doctor", "built-in face model"),
    QT_TRANSLATE_NOOP("Doctor", "face model pack {name}"),
    QT_TRANSLATE_NOOP("Doctor", "{library} {version}"),
    QT_TRANSLATE_NOOP("Doctor", "{room} GB free for data"),
    QT_TRANSLATE_NOOP("Doctor", "no database at {file}"),
    QT_TRANSLATE_NOOP("Doctor", "the {name} database does not answer ({problem})"),
    QT_TRANSLATE_NOOP("Doctor", "restore a backup"),
    QT_TRANSLATE_NOOP("Doctor", "check that the server runs and its address is right"),
    QT_TRANSLATE_NOOP("Doctor", "it belongs to a newer version; install that version"),
    QT_TRANSLATE_NOOP("Doctor", "the file storage does not respond ({problem})"),
    QT_TRANSLATE_NOOP(
        "Doctor", "check WALKAROUND_FILES_URL, its endpoint, region and keys, and that its server runs"
    ),
    QT_TRANSLATE_NOOP("Doctor", "{used} of the file quota is used"),
    QT_TRANSLATE_NOOP("Doctor", "the backups cannot be read: {problem}"),
    QT_TRANSLATE_NOOP("Doctor", "check WALKAROUND_BACKUP_TO"),
    QT_TRANSLATE_NOOP("Doctor", "no service is using this data folder"),
    QT_TRANSLATE_NOOP("Doctor", "a service is using this data folder"),
    QT_TRANSLATE_NOOP("Doctor", "secret file {file} does not exist yet"),
    QT_TRANSLATE_NOOP("Doctor", "the built-in face model does not load ({problem})"),
    QT_TRANSLATE_NOOP("Doctor", "install it again"),
    QT_TRANSLATE_NOOP("Doctor", "face model pack {name} is not installed or incomplete ({problem})"),
    QT_TRANSLATE_NOOP("Doctor", "run: walkaround face install PACK.zip"),
    QT_TRANSLATE_NOOP("Doctor", "{library} does not load ({problem})"),
    QT_TRANSLATE_NOOP("Doctor", "install it again; {purpose} need it"),
    QT_TRANSLATE_NOOP("Doctor", "photos will fill it soon; free some space"),
    QT_TRANSLATE_NOOP("Doctor", "{file} can be read by other users"),
    QT_TRANSLATE_NOOP("Doctor", "run: chmod 600 '{file}'"),
    QT_TRANSLATE_NOOP("Doctor", "{file} is readable by its owner only"),
    QT_TRANSLATE_NOOP("Doctor", "detection model {name}"),
    QT_TRANSLATE_NOOP("Doctor", "the file of the detection model {name} is missing or damaged"),
    QT_TRANSLATE_NOOP("Doctor", "add the model again in the catalogue, or restore a backup"),
    QT_TRANSLATE_NOOP("Doctor", "the libraries of the windows cannot be loaded ({problem})"),
    QT_TRANSLATE_NOOP("Doctor", "install its package; README.txt of the portable archive lists them all"),
    QT_TRANSLATE_NOOP("Doctor", "input method {name}"),
    QT_TRANSLATE_NOOP("Doctor", "no input method, which only typing Chinese needs"),
    QT_TRANSLATE_NOOP("Doctor", "a font has Chinese characters"),
    QT_TRANSLATE_NOOP(
        "Doctor", "no font has Chinese characters, so no report with Chinese text can be written as PDF"
    ),
    QT_TRANSLATE_NOOP("Doctor", "install one, on Debian and Ubuntu the package {package}"),
    QT_TRANSLATE_NOOP("Doctor", "no library opens HEIC photos"),
    QT_TRANSLATE_NOOP("Doctor", "no display"),
    QT_TRANSLATE_NOOP("Doctor", "the desktop needs one; the service and the demo do not"),
    QT_TRANSLATE_NOOP("Doctor", "cameras: {names}"),
    QT_TRANSLATE_NOOP("Doctor", "no camera"),
    QT_TRANSLATE_NOOP("Doctor", "connect one, or work with photo files"),
    QT_TRANSLATE_NOOP("Doctor", "{count} folders of the program can be written"),
    QT_TRANSLATE_NOOP("Doctor", "the preferences in {file} cannot be read, so the defaults are used"),
    QT_TRANSLATE_NOOP("Doctor", "move the file to another folder; the program writes a new one"),
    QT_TRANSLATE_NOOP("Doctor", "{count} edits are saved on this computer and not sent yet"),
    QT_TRANSLATE_NOOP("Doctor", "they are sent when the user who made them logs in and the service answers"),
    QT_TRANSLATE_NOOP("Doctor", "no unsent edits"),
    QT_TRANSLATE_NOOP("Doctor", "a part of a journal could not be read; a copy is in {file}"),
    QT_TRANSLATE_NOOP(
        "Doctor", "keep the copy until you have checked the last edits of that day, then delete it"
    ),
    QT_TRANSLATE_NOOP("Doctor", "the clock says {time}"),
    QT_TRANSLATE_NOOP("Doctor", "set date and time of this computer"),
    QT_TRANSLATE_NOOP("Doctor", "libheif {version} cannot open HEIC photos from iOS 18 or later"),
    QT_TRANSLATE_NOOP("Doctor", "update it to 1.18 or later, on Debian 12 from bookworm-backports"),
    QT_TRANSLATE_NOOP("Doctor", "HEIC photos can be opened"),
    QT_TRANSLATE_NOOP("Doctor", "display {width} x {height} at {scale} ({platform})"),
    QT_TRANSLATE_NOOP(
        "Doctor", "the window needs at least {least}: choose a higher resolution or a smaller scale"
    ),
    QT_TRANSLATE_NOOP("Doctor", "this user has no access to the cameras"),
    QT_TRANSLATE_NOOP("Doctor", "add the user to the group 'video'"),
    QT_TRANSLATE_NOOP("Doctor", "the folder {folder} cannot be written"),
    QT_TRANSLATE_NOOP("Doctor", "the clock says {time}, without a time zone"),
    QT_TRANSLATE_NOOP("Doctor", "set the time zone of this computer"),
    QT_TRANSLATE_NOOP("Doctor", "clock {time}, time zone {zone}"),
    QT_TRANSLATE_NOOP("Doctor", "the folder {folder} is open to other users"),
    QT_TRANSLATE_NOOP("Doctor", "make it private"),
    QT_TRANSLATE_NOOP("Doctor", "the service at {url} cannot be reached"),
    QT_TRANSLATE_NOOP("Doctor", "check that it runs, that its address is correct and that the network works"),
    QT_TRANSLATE_NOOP("Doctor", "the certificate of {url} is not trusted"),
    QT_TRANSLATE_NOOP(
        "Doctor", "compare its fingerprint with the one that the administrator names, then trust it"
    ),
    QT_TRANSLATE_NOOP("Doctor", "the service at {url} does not answer in time"),
    QT_TRANSLATE_NOOP("Doctor", "check the network and whether a firewall is in between"),
    QT_TRANSLATE_NOOP("Doctor", "parts of the service do not work: {names}"),
    QT_TRANSLATE_NOOP("Doctor", "run “walkaround doctor” on the server"),
    QT_TRANSLATE_NOOP(
        "Doctor", "a proxy is set on this computer; the desktop connects to the service without it"
    ),
    QT_TRANSLATE_NOOP("Doctor", "the service at {url} answers after {milliseconds} ms"),
    QT_TRANSLATE_NOOP("Doctor", "check the network between this computer and the server"),
    QT_TRANSLATE_NOOP("Doctor", "the clocks of this computer and of the service differ by {seconds} s"),
    QT_TRANSLATE_NOOP("Doctor", "synchronize both with a time server"),
    QT_TRANSLATE_NOOP("Doctor", "the clocks of this computer and of the service agree"),
    QT_TRANSLATE_NOOP("Doctor", "{url} is not a Walkaround service"),
    QT_TRANSLATE_NOOP("Doctor", "correct the address with “Change server” on the login page"),
    QT_TRANSLATE_NOOP("Doctor", "the service cannot be checked"),
    QT_TRANSLATE_NOOP("Doctor", "run “walkaround doctor” in a terminal and read its output"),
)
"""Every text of a check; a test compares them with the checks themselves."""


def message(result: CheckResult) -> str:
    """Describe a result in a sentence."""
    return _sentence(QCoreApplication.translate("Doctor", result.found), result)


def advice(result: CheckResult) -> str:
    """Return what to do about a result; an empty string when nothing is wrong."""
    if not result.advice:
        return ""
    return _sentence(QCoreApplication.translate("Doctor", result.advice), result)


def _sentence(text: str, result: CheckResult) -> str:
    """Format the text with its values and capitalise it, except when it begins with a value or a name."""
    if not text.startswith("libheif"):
        text = text[:1].upper() + text[1:]
    return text.format(**result.values)
