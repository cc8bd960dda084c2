# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Pull secret, SSH keys, trust bundle (reference agent-based-installer.md 3.2). No value of these is ever part of a problem."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import json
import re
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...common import libraries
from ...common.problems import INVALID, Problem
from .checks import install_config
from .facts import Facts

if TYPE_CHECKING:
    from cryptography import x509

_SSH_TYPES = re.compile(
    r"ssh-(rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com|"
    r"(ssh-(rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-(ssh-ed25519|ecdsa-sha2-nistp256))-cert-v01@openssh\.com"
)
_FIPS_SSH_TYPES = re.compile(r"ecdsa-sha2-nistp\d{3}|ssh-rsa")
_PEM_BLOCK = re.compile(r"-----BEGIN (?P<label>[^-]+)-----\s*(?P<body>[A-Za-z0-9+/=\s]*)-----END (?P=label)-----[ \t]*\n?")
_PATH = re.compile(r"(~|\.{1,2})?/?[\w.+-]+(/[\w.+-]+)*\.(json|ya?ml|txt|pub|pem|key)|(~|\.{1,2})?/[^\s{}]{1,200}")
_POLICIES = ("Proxyonly", "Always")


def path_hint(text: str) -> str:
    """What to write where the content of a file belongs and its path was given; says nothing of other texts."""
    if not _PATH.fullmatch(text.strip()):
        return ""
    return "this looks like the path of a file, its content is needed: \"{{ lookup('ansible.builtin.file', '…') }}\""


def ssh_keys(facts: Facts) -> Iterator[Problem]:
    """Every line must be a public key; FIPS allows RSA and ECDSA only."""
    for number, line in enumerate(facts.cluster.ssh_key.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        kind = _ssh_key_type(line)
        if not kind:
            problem = install_config("sshKey", INVALID, f"key {number} is not an SSH public key")
            yield dataclasses.replace(problem, hint=path_hint(line))
        elif facts.cluster.fips and not _FIPS_SSH_TYPES.fullmatch(kind):
            yield install_config("sshKey", INVALID, f"SSH key type {kind} unavailable when FIPS is enabled. Please use rsa or ecdsa.")


def _ssh_key_type(line: str) -> str:
    """The type of an authorized key; empty when it is none. Options may stand in front of the type."""
    words = line.split()
    position = next((index for index, word in enumerate(words) if _SSH_TYPES.fullmatch(word)), -1)
    if position < 0 or position + 1 >= len(words):
        return ""
    try:
        blob = base64.b64decode(words[position + 1], validate=True)
        length = struct.unpack(">I", blob[:4])[0]
    except (binascii.Error, struct.error):
        return ""
    # The key says its own type again, as a string with its length in front (RFC 4253 6.6).
    return words[position] if blob[4 : 4 + length] == words[position].encode() and len(blob) > 4 + length else ""


def trust_bundle(facts: Facts) -> Iterator[Problem]:
    if facts.cluster.additional_trust_bundle:
        error = certificates(facts.cluster.additional_trust_bundle)[1]
        if error:
            yield install_config("additionalTrustBundle", INVALID, error)


def trust_bundle_policy(facts: Facts) -> Iterator[Problem]:
    policy = facts.cluster.additional_trust_bundle_policy
    if policy and policy not in _POLICIES:
        yield install_config("additionalTrustBundlePolicy", INVALID, 'supported values "Proxyonly", "Always"', value=policy)


def certificates(bundle: str) -> tuple[list[x509.Certificate], str]:
    """The certificates of a bundle, and what is wrong with the first text that is none."""
    certificates: list[x509.Certificate] = []
    position = 0
    while position < len(bundle):
        # Text in front of a block is skipped; after the last one there may be the end of its line and nothing else (as Go's PEM decoder reads).
        match = _PEM_BLOCK.search(bundle, position)
        if match is None:
            return certificates, "invalid block"
        try:
            certificates.append(libraries.x509.load_der_x509_certificate(base64.b64decode("".join(match["body"].split()), validate=True)))
        except ValueError:
            return certificates, f"block {len(certificates) + 1} is not an X.509 certificate"
        position = match.end()
    return certificates, ""


def pull_secret(facts: Facts) -> Iterator[Problem]:
    hint = """a JSON document is expected: '{"auths": {"host:5000": {"auth": "…"}}}'"""
    try:
        document = json.loads(facts.cluster.pull_secret)
    except ValueError:
        problem = install_config("pullSecret", INVALID, f"is not valid JSON; {hint}")
        yield dataclasses.replace(problem, hint=path_hint(facts.cluster.pull_secret))
        return
    auths = document.get("auths") if isinstance(document, dict) else None
    if not isinstance(auths, dict) or not auths:
        yield install_config("pullSecret", INVALID, "auths required")
        return
    lacking = [host for host, entry in auths.items() if not isinstance(entry, dict) or not ("auth" in entry or "credsStore" in entry)]
    if lacking:
        yield install_config("pullSecret", INVALID, ", ".join(f'"{host}" requires either auth or credsStore' for host in lacking))
