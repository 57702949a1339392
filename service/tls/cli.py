"""Runs `walkaround tls`: shows the certificate that the service answers with."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from service.settings import Settings
from service.tls import CertificateError
from service.tls.files import CertificateFiles, configured_files
from service.tls.own_certificate import certificate_names


def main(arguments: Sequence[str], settings: Settings) -> int:
    """Print fingerprint, end, names and file. Gives 1 when there is no certificate or it cannot be used."""
    parser = argparse.ArgumentParser(
        prog="walkaround tls", description="Show the certificate that the service answers with."
    )
    parser.add_argument("--tls-cert", type=Path, help="certificate that the service was started with")
    parser.add_argument("--tls-key", type=Path, help="its key")
    options = parser.parse_args(arguments[1:])
    if (options.tls_cert is None) != (options.tls_key is None):
        parser.error("--tls-cert and --tls-key belong together: name both")
    if options.tls_cert is None:
        files = configured_files(settings)
    else:
        files = CertificateFiles(options.tls_cert.absolute(), options.tls_key.absolute())
    if files.is_own and not files.certificate.exists():
        print(
            f"walkaround tls: there is no certificate in {settings.data_dir}. The service makes one when it "
            "first answers on an address other than loopback; --data-dir names another data folder, "
            "--tls-cert and --tls-key a certificate that the service was started with.",
            file=sys.stderr,
        )
        return 1
    try:
        files.load()
        certificate = files.read()
        print(f"fingerprint  {files.fingerprint()}")
    except CertificateError as problem:
        print(f"walkaround tls: {problem}", file=sys.stderr)
        return 1
    renewal_note = " (renewed by itself)" if files.is_own else ""
    print(f"valid until  {certificate.not_valid_after_utc:%Y-%m-%d}{renewal_note}")
    print(f"names        {', '.join(certificate_names(certificate))}")
    print(f"file         {files.certificate}")
    return 0
