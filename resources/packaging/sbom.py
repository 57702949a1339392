"""Writes the parts of the bundle as a CycloneDX document, for programs that search known vulnerabilities.

It lists the same parts as NOTICE.txt, from the same files. The same bundle gives the same document: the
serial number is computed from the parts, and the time is `SOURCE_DATE_EPOCH`.

Source of the format: CycloneDX 1.6, ECMA-424.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from resources.packaging.notices import Part
from resources.packaging.system import build_time
from shared import __version__

FILE_NAME = "sbom.cdx.json"


def write_sbom(parts: Iterable[Part], path: Path) -> None:
    """Write the document of `parts` to `path`."""
    licences = LicenseFactory()
    program = Component(
        name="walkaround",
        version=__version__,
        type=ComponentType.APPLICATION,
        bom_ref="walkaround",
        purl=PackageURL("generic", None, "walkaround", __version__),
    )
    bom = Bom()
    bom.metadata.component = program
    bom.metadata.timestamp = datetime.fromtimestamp(build_time(), UTC)
    bom.metadata.tools.components.add(
        Component(
            name="cyclonedx-python-lib",
            version=metadata.version("cyclonedx-python-lib"),
            type=ComponentType.LIBRARY,
        )
    )
    components = []
    for part in parts:
        purl = PackageURL(part.kind, "debian" if part.kind == "deb" else None, part.name, part.version)
        component = Component(
            name=part.name,
            version=part.version,
            type=ComponentType.LIBRARY,
            bom_ref=str(purl),
            purl=purl,
            licenses=[licences.make_with_expression(part.licence)],
        )
        for library in part.libraries:
            component.components.add(
                Component(
                    name=library.name,
                    version=library.version or None,
                    type=ComponentType.LIBRARY,
                    bom_ref=f"{purl}#{library.name}@{library.version}",
                    licenses=[licences.make_with_expression(library.licence)],
                )
            )
        bom.components.add(component)
        components.append(component)
    bom.register_dependency(program, components)
    bom.serial_number = uuid.uuid5(
        uuid.NAMESPACE_URL, repr(sorted((component.name, component.version) for component in components))
    )
    text = JsonV1Dot6(bom).output_as_string(indent=1)
    path.write_text(json.dumps(json.loads(text), ensure_ascii=False, indent=1) + "\n", "utf-8")
