"""Asks whether to trust a server whose certificate is unknown to this computer or has changed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop.client.http.address import server_key
from desktop.client.http.errors import Untrusted
from desktop.preferences import Preferences
from desktop.widgets import label
from desktop.widgets.dialogs import Confirm

_PAIRS_PER_LINE = 16


def trust(preferences: Preferences, url: str, fingerprint: str) -> None:
    """Store the fingerprint as the trusted one of the server at `url`."""
    trusted = preferences.values.certificates
    preferences.change(certificates={**trusted, server_key(url): fingerprint})


def format_fingerprint(fingerprint: str) -> str:
    """Format a fingerprint in lines of sixteen bytes, which people can compare."""
    pairs = fingerprint.split(":")
    starts = range(0, len(pairs), _PAIRS_PER_LINE)
    return "\n".join(":".join(pairs[start : start + _PAIRS_PER_LINE]) for start in starts)


class TrustDialog(Confirm):
    """Shows the fingerprint of a server and explains how to compare it. The default is not to trust it.

    To trust a server whose key has changed, the user must also tick a box.
    """

    def __init__(self, url: str, untrusted: Untrusted, parent: QWidget | None = None) -> None:
        # The texts are set below, because translating them needs the dialog.
        super().__init__(parent, "", "", "", danger=untrusted.trusted is not None)
        # Nobody may trust a server by Enter before the fingerprints are compared.
        self._enter_confirms = False
        server = server_key(url)
        if untrusted.trusted is None:
            self._set_texts(
                self.tr("Trust server {server}?").format(server=server),
                self.tr(
                    "This computer does not know the certificate of this server. Ask an administrator for "
                    "the fingerprint: “walkaround tls” shows it on the server. Trust the server only if both "
                    "are the same."
                ),
                self.tr("Trust server"),
            )
            self._show_fingerprint(self.tr("Fingerprint (SHA-256)"), untrusted.found or "")
            return
        self._set_texts(
            self.tr("Certificate of {server} has changed").format(server=server),
            self.tr(
                "Someone may be intercepting the connection, or an administrator has replaced the "
                "certificate. Ask an administrator for the new fingerprint: “walkaround tls” shows it on the "
                "server."
            ),
            self.tr("Trust new certificate"),
        )
        self._show_fingerprint(self.tr("Trusted fingerprint"), untrusted.trusted)
        self._show_fingerprint(self.tr("New fingerprint"), untrusted.found or "")
        self.compared = QCheckBox(self.tr("The new fingerprint is the one on the server."))
        self.compared.toggled.connect(self.confirm_button.setEnabled)
        self.confirm_button.setEnabled(False)
        self.body.addSpacing(8)
        self.body.addWidget(self.compared)

    def _set_texts(self, title: str, text: str, verb: str) -> None:
        self.setWindowTitle(title)
        self.heading.setText(title)
        self.text.setText(text)
        self.confirm_button.setText(verb)

    def _show_fingerprint(self, name: str, fingerprint: str) -> None:
        self.body.addSpacing(8)
        self.body.addWidget(label(name, "label"))
        text_label = label(format_fingerprint(fingerprint))
        text_label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        text_label.setAccessibleName(name)
        self.body.addWidget(text_label)
