# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the connection URI of a hypervisor (libvirt), and change it so that ssh never asks for a password."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

_SCHEME = re.compile(r"^[a-z][a-z0-9]*(\+[a-z]+)?$")
_TRANSPORTS = ("", "unix", "ssh", "tls", "tcp")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Parameters that make libvirt accept any server: a typing mistake in an inventory must not switch the verification off.
_UNVERIFIED = ("no_verify",)


def uri_fault(uri: object) -> str:
    """What is wrong with a connection URI, as a part of a sentence; empty when it can be used."""
    if not isinstance(uri, str):
        return "must be a string such as qemu:///system or qemu+ssh://user@host/system"
    try:
        parts = urlsplit(uri)
        host = parts.hostname or ""
        parts.port  # noqa: B018 (raises ValueError for a port that is no number)
    except ValueError as error:
        return str(error)
    driver, _plus, transport = parts.scheme.partition("+")
    if not _SCHEME.match(parts.scheme) or "://" not in uri or any(ord(letter) <= ord(" ") for letter in uri):
        return "must be a URI such as qemu:///system or qemu+ssh://user@host/system"
    if transport not in _TRANSPORTS:
        return f"transport {transport} is not supported: use {driver}+ssh, {driver}+tls or a local connection"
    if parts.password:
        return "must not contain a password: use an SSH key or TLS client certificates"
    if transport == "tcp" and host not in _LOOPBACK:
        return f"{driver}+tcp is neither encrypted nor authenticated: use {driver}+ssh or {driver}+tls"
    if transport in ("ssh", "tls", "tcp") and not host:
        return f"transport {transport} needs the name of the host"
    if transport == "" and host:
        return f"host {host} needs a transport: use {driver}+ssh or {driver}+tls"
    return ""


def unverified(uri: str) -> bool:
    """Whether the URI switches the verification of the server off."""
    return any(name in _UNVERIFIED and value not in ("", "0") for name, value in parse_qsl(urlsplit(uri).query))


def opened_uri(uri: str) -> str:
    """The URI as it is opened: ssh must not ask for a password on the terminal of the playbook."""
    parts = urlsplit(uri)
    if not parts.scheme.endswith("+ssh") or any(name == "no_tty" for name, _value in parse_qsl(parts.query)):
        return uri
    separator = "&" if parts.query else "?"
    return f"{uri}{separator}no_tty=1"


def hint(message: str, uri: str) -> str:
    """What to do about an error of libvirt that users often meet; empty for others."""
    text = message.lower()
    if "polkit" in text or ("permission denied" in text and "libvirt-sock" in text):
        return "Add the user that runs the playbook to the group libvirt, or connect as a user that is in it."
    if "libvirt-sock" in text or "failed to connect socket" in text:
        return "Check that the libvirt daemon runs on that host."
    if "host key verification failed" in text or "permission denied (publickey" in text:
        return f"Check that ssh with the user and host of {uri} works without a password and without a question."
    if "+tls:" in uri and "certificate" in text:
        return "Check the client certificates in /etc/pki/libvirt, or in the directory that pkipath of the URI names."
    if "connecting to session instance" in text:
        return "qemu:///session is the connection of the user that runs the playbook."
    return ""
