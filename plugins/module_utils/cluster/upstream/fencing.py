# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the fencing of two control-plane hosts that fence each other, as the installer does.

Source: openshift/installer pkg/types/validation/installconfig.go, pkg/asset/agent/installconfig.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...common.problems import Problem
from . import urls
from .findings import duplicate, forbidden, invalid, required
from .provided import Document, Provided
from .texts import mac_error

_PATH = "controlPlane.fencing"
_PLATFORMS = ("none", "external", "baremetal")
_FIELDS = (
    ("hostName", "HostName"),
    ("macAddress", "MACAddress"),
    ("username", "Username"),
    ("password", "Password"),
    ("address", "Address"),
)
_UNIQUE = ("hostName", "macAddress", "address")


def fencing(provided: Provided) -> Iterator[Problem]:
    block = provided.control_plane.get("fencing")
    credentials = list((block or {}).get("credentials") or [])
    if block is not None:
        yield from _fields(provided, credentials)
        if not any(name in provided.platforms for name in _PLATFORMS):
            detail = (
                f"fencing is only supported on baremetal, external or none platforms, instead {provided.platform} "
                "platform was found"
            )
            yield forbidden(_PATH, detail)
        for index, credential in enumerate(credentials):
            yield from _credential(provided, f"{_PATH}.credentials[{index}]", credential)
    yield from _number(provided, len(credentials))


def _fields(provided: Provided, credentials: Sequence[Document]) -> Iterator[Problem]:
    """What must be there and must not be there twice, credential by credential."""
    needed = {"username", "password", "address", *(() if provided.profile.fencing_by_mac else ("hostName",))}
    seen: dict[str, set[str]] = {key: set() for key in _UNIQUE}
    for index, credential in enumerate(credentials):
        for key, word in _FIELDS:
            value = credential.get(key, "")
            path = f"{_PATH}.credentials[{index}].{key}"
            if not value:
                if key in needed:
                    yield required(path, f"missing {word}")
            elif key in _UNIQUE:
                if value in seen[key]:
                    yield duplicate(path, value)
                seen[key].add(value)


def _credential(provided: Provided, path: str, credential: Document) -> Iterator[Problem]:
    if provided.profile.fencing_by_mac:
        mac = credential.get("macAddress", "")
        if not credential.get("hostName") and not mac:
            yield required(path, "at least one of hostname or macaddress must be provided")
        if mac and (error := mac_error(mac)):
            yield invalid(f"{path}.macAddress", mac, error)
    verification = credential.get("certificateVerification", "")
    if verification not in ("", "Enabled", "Disabled"):
        detail = (
            f"invalid certificate verification; \"{verification}\" should set to one of the following: ['Enabled' "
            "(default), 'Disabled']"
        )
        yield invalid(f"{path}[CertificateVerification]", verification, detail)
    address = credential.get("address", "")
    if address and provided.profile.fencing_address_rule:
        for error in _address_errors(address):
            yield invalid(f"{path}.address", address, error)


def _address_errors(address: str) -> Iterator[str]:
    try:
        url = urls.parse(address)
    except urls.UrlError as error:
        yield f"invalid URL format: {error}"
        return
    if "redfish" not in address:
        yield "fencing only supports redfish-compatible BMC addresses, IPMI is not supported"
    if not url.port and not any(word in url.scheme for word in ("http", "redfish")):
        yield "failed to parse redfish address, no port number found"


def _number(provided: Provided, found: int) -> Iterator[Problem]:
    arbiter = provided.arbiter
    if arbiter is not None and arbiter["replicas"] > 0:
        return
    if provided.control_plane["replicas"] == 2:
        if found != 2 and provided.profile.fencing:
            detail = (
                f"there should be exactly two fencing credentials to support the two node cluster, instead {found} "
                "credentials were found"
            )
            yield forbidden(f"{_PATH}.credentials", detail)
    elif found:
        detail = (
            "there should not be any fencing credentials configured for a non dual replica control plane (Two Nodes "
            "Fencing) cluster, "
            f"instead {found} credentials were found"
        )
        yield forbidden(f"{_PATH}.credentials", detail)
