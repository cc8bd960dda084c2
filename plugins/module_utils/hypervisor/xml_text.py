# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse and write the XML documents of libvirt."""

from __future__ import annotations

from xml.etree import ElementTree

from ..common.errors import ZeroTouchError

# XML namespace of this collection in the metadata of domains and networks.
OWN = "https://zerotouch.openshift/libvirt/1.0"
_NAMESPACES = {
    "zerotouch": OWN,
    "qemu": "http://libvirt.org/schemas/domain/qemu/1.0",
    "dnsmasq": "http://libvirt.org/schemas/network/dnsmasq/1.0",
}
for _prefix, _namespace in _NAMESPACES.items():
    ElementTree.register_namespace(_prefix, _namespace)

Element = ElementTree.Element


def parse(text: str) -> Element:
    """The root of a document. Raises :class:`ZeroTouchError`."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ZeroTouchError("libvirt returned XML with a document type, which its documents never have.")
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ZeroTouchError(f"libvirt returned XML that cannot be read: {error}.") from error


def written(root: Element) -> str:
    """The document as indented text with a final newline. The element tree is indented in place."""
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def text_of(root: Element, path: str) -> str:
    """The text of an element; empty without it."""
    return (root.findtext(path) or "").strip()


def child(parent: Element, tag: str, /, **attributes: str) -> Element:
    """A new last child."""
    return ElementTree.SubElement(parent, tag, attributes)
