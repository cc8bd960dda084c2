# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the field pki of install-config.yaml, which defines the keys of the signer certificates.

Source: openshift/installer pkg/types/pki/validation.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...common.problems import Problem
from .findings import forbidden, invalid, required, unsupported
from .provided import Document, Provided

_PATH = "pki.signerCertificates.key"
# Algorithm -> its settings.
_SETTINGS = {"RSA": "rsa", "ECDSA": "ecdsa"}
_CURVES = ("P256", "P384", "P521")
_SIZES = range(2048, 8193, 1024)


def pki(provided: Provided) -> Iterator[Problem]:
    if not provided.profile.pki or "pki" not in provided.doc:
        return
    key: Document = ((provided.doc["pki"] or {}).get("signerCertificates") or {}).get("key") or {}
    algorithm = key.get("algorithm", "")
    if not algorithm:
        yield required(f"{_PATH}.algorithm", "algorithm must be specified")
    elif algorithm not in _SETTINGS:
        yield unsupported(f"{_PATH}.algorithm", algorithm, _SETTINGS)
    else:
        yield from _settings(key, algorithm)


def _settings(key: Document, algorithm: str) -> Iterator[Problem]:
    wanted = _SETTINGS[algorithm]
    settings = key.get(wanted)
    if settings is None:
        yield required(f"{_PATH}.{wanted}", f"{wanted} is required when algorithm is {algorithm}")
    elif wanted == "rsa" and settings.get("keySize", 0) not in _SIZES:
        yield invalid(
            f"{_PATH}.rsa.keySize", settings.get("keySize", 0), "must be a multiple of 1024 from 2048 to 8192"
        )
    elif wanted == "ecdsa" and settings.get("curve", "") not in _CURVES:
        yield unsupported(f"{_PATH}.ecdsa.curve", settings.get("curve", ""), _CURVES)
    for other in _SETTINGS.values():
        if other != wanted and key.get(other) is not None:
            yield forbidden(f"{_PATH}.{other}", f"{other} must not be set when algorithm is {algorithm}")
