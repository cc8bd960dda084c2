# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create the certificates of an API server and its clients, all from one signer."""

from __future__ import annotations

import dataclasses
import datetime
import ipaddress
from collections.abc import Sequence

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAYS = 30


@dataclasses.dataclass(frozen=True)
class Pair:
    """A certificate with its key, both PEM."""

    certificate: bytes
    key: bytes


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


@dataclasses.dataclass(frozen=True)
class Signer:
    """A CA that lives as long as the lab."""

    name: x509.Name
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def create(cls, name: str) -> Signer:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = _builder(subject, subject, key).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        return cls(subject, key, builder.sign(key, hashes.SHA256()))

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return _pem(self.key)

    def server(self, names: Sequence[str]) -> Pair:
        """For a server of these names and addresses."""
        alternatives = x509.SubjectAlternativeName([_general_name(name) for name in names])
        return self._sign(names[0], (), ExtendedKeyUsageOID.SERVER_AUTH, alternatives)

    def client(self, user: str, groups: Sequence[str] = ()) -> Pair:
        return self._sign(user, groups, ExtendedKeyUsageOID.CLIENT_AUTH, None)

    def _sign(
        self,
        name: str,
        groups: Sequence[str],
        usage: x509.ObjectIdentifier,
        alternatives: x509.SubjectAlternativeName | None,
    ) -> Pair:
        key = ec.generate_private_key(ec.SECP256R1())
        organisations = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
        builder = _builder(x509.Name([*organisations, x509.NameAttribute(NameOID.COMMON_NAME, name)]), self.name, key)
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        if alternatives is not None:
            builder = builder.add_extension(alternatives, critical=False)
        return Pair(builder.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM), _pem(key))


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=DAYS))
    )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
