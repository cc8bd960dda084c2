# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create a self-signed CA (a signer of a cluster) as PEM, in the form in which installation images contain signers."""

from __future__ import annotations

from cryptography.hazmat.primitives import serialization

from ..newcluster.pki import new_authority


def self_signed_ca(name: str) -> tuple[bytes, bytes]:
    """(certificate, key) in PEM of a new certificate authority."""
    authority = new_authority(name)
    key = authority.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    return authority.pem, key
