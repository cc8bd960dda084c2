# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Client certificates under a signer of a cluster."""

from __future__ import annotations

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


def client_certificate(signer_certificate: bytes, signer_key: bytes, *, name: str, organization: str) -> tuple[bytes, bytes]:
    """(certificate, key) in PEM for a user ``name`` of group ``organization``, valid for a day. Raises ValueError for a signer that is none."""
    issuer = x509.load_pem_x509_certificate(signer_certificate)
    issuer_key = serialization.load_pem_private_key(signer_key, password=None)
    if not isinstance(issuer_key, ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey):
        raise ValueError("the signer's key is neither EC nor RSA")
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization), x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(issuer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
        .sign(issuer_key, hashes.SHA256())
    )
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())
    return certificate.public_bytes(serialization.Encoding.PEM), pem
