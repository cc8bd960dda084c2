# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create the certificates of a new cluster from the signers (CAs) that the ISO contains."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import ipaddress
import os
import ssl
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LB_SIGNER = "kube-apiserver-lb-signer"
LOCALHOST_SIGNER = "kube-apiserver-localhost-signer"
SERVICE_SIGNER = "kube-apiserver-service-network-signer"
ADMIN_SIGNER = "admin-kubeconfig-signer"
SIGNERS = (LB_SIGNER, LOCALHOST_SIGNER, SERVICE_SIGNER, ADMIN_SIGNER)
ONE_DAY = datetime.timedelta(days=1)
SigningKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


@dataclasses.dataclass(frozen=True)
class Pair:
    """A certificate with its key, both PEM."""

    certificate: bytes
    key: bytes


@dataclasses.dataclass(frozen=True)
class Signer:
    """A CA that signs."""

    certificate: x509.Certificate
    key: SigningKey

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)


def key_pem(signer: Signer) -> bytes:
    """The signer's private key."""
    return signer.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def load_signer(certificate: str | bytes, key: str | bytes) -> Signer:
    """Raises ValueError when the two do not belong together or the certificate is no CA."""
    loaded = x509.load_pem_x509_certificate(certificate.encode() if isinstance(certificate, str) else certificate)
    private = serialization.load_pem_private_key(key.encode() if isinstance(key, str) else key, None)
    if not isinstance(private, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        raise ValueError("the key of a signer must be RSA or EC")
    if loaded.public_key() != private.public_key():
        raise ValueError(f"key and certificate of {loaded.subject.rfc4514_string()} do not belong together")
    return Signer(loaded, private)


def load_signers(texts: Mapping[str, tuple[str | bytes, str | bytes]]) -> dict[str, Signer]:
    """Raises ValueError naming what is missing."""
    missing = [name for name in SIGNERS if name not in texts]
    if missing:
        raise ValueError(f"signers missing in /opt/agent/tls: {', '.join(missing)}")
    return {name: load_signer(*texts[name]) for name in SIGNERS}


def _pem_key(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _name(common_name: str, organisations: Sequence[str] = ()) -> x509.Name:
    attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, item) for item in organisations]
    return x509.Name([*attributes, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def new_authority(common_name: str) -> Signer:
    """A CA of the cluster's own, for kubelets and the ingress."""
    key = ec.generate_private_key(ec.SECP256R1())
    moment = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(common_name))
        .issuer_name(_name(common_name))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(moment - ONE_DAY)
        .not_valid_after(moment + 3650 * ONE_DAY)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    return Signer(builder.sign(key, hashes.SHA256()), key)


def sign(
    signer: Signer,
    public_key: ec.EllipticCurvePublicKey | rsa.RSAPublicKey,
    subject: x509.Name,
    names: Sequence[str] = (),
    *,
    client: bool = False,
) -> bytes:
    """PEM of a leaf certificate."""
    moment = datetime.datetime.now(datetime.UTC)
    usage = ExtendedKeyUsageOID.CLIENT_AUTH if client else ExtendedKeyUsageOID.SERVER_AUTH
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(signer.certificate.subject)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(moment - ONE_DAY)
        .not_valid_after(moment + 365 * ONE_DAY)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.key.public_key()), critical=False)
    )
    if names:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([_alternative(name) for name in names]), critical=False
        )
    return builder.sign(signer.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def serving_pair(signer: Signer, names: Sequence[str]) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    return Pair(sign(signer, key.public_key(), _name(names[0]), names) + signer.pem, _pem_key(key))


def client_pair(signer: Signer, common_name: str, organisations: Sequence[str]) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    return Pair(sign(signer, key.public_key(), _name(common_name, organisations), client=True), _pem_key(key))


def admin_kubeconfig(signers: Mapping[str, Signer], name: str, server: str, server_name: str = "") -> str:
    """An administrator's kubeconfig; ``server_name`` when the certificate is for another name than that of the URL."""
    admin = client_pair(signers[ADMIN_SIGNER], "system:admin", ["system:masters"])
    authorities = b"".join(signers[kind].pem for kind in (LB_SIGNER, LOCALHOST_SIGNER, SERVICE_SIGNER))
    cluster = {"certificate-authority-data": base64.b64encode(authorities).decode(), "server": server}
    if server_name:
        cluster["tls-server-name"] = server_name
    user = {
        "client-certificate-data": base64.b64encode(admin.certificate).decode(),
        "client-key-data": base64.b64encode(admin.key).decode(),
    }
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "contexts": [{"name": "admin", "context": {"cluster": name, "user": "admin"}}],
        "current-context": "admin",
        "users": [{"name": "admin", "user": user}],
    }
    return str(yaml.safe_dump(document, sort_keys=False))


def new_key() -> ec.EllipticCurvePrivateKey:
    """A key as kubelets make theirs."""
    return ec.generate_private_key(ec.SECP256R1())


def signing_request(
    common_name: str,
    organisations: Sequence[str],
    names: Sequence[str] = (),
    key: ec.EllipticCurvePrivateKey | None = None,
) -> bytes:
    """PEM of a CSR as a kubelet makes it, with a key of its own unless one is passed."""
    key = key or new_key()
    builder = x509.CertificateSigningRequestBuilder().subject_name(_name(common_name, organisations))
    if names:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([_alternative(name) for name in names]), critical=False
        )
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def common_name(request: bytes) -> str:
    """Whom a CSR is for."""
    found = x509.load_pem_x509_csr(request).subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(found[0].value) if found else ""


def sign_request(signer: Signer, request: bytes, *, client: bool) -> bytes:
    """Certificate for a CSR."""
    loaded = x509.load_pem_x509_csr(request)
    key = loaded.public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey | rsa.RSAPublicKey):
        raise ValueError("unsupported key in a signing request")
    names: list[str] = []
    for extension in loaded.extensions:
        if isinstance(extension.value, x509.SubjectAlternativeName):
            names = [str(item.value) for item in extension.value]
    return sign(signer, key, loaded.subject, names, client=client)


def kubelet_context(certificate: bytes, key: ec.EllipticCurvePrivateKey) -> ssl.SSLContext:
    """TLS of a kubelet's port, with the certificate that its cluster issued."""
    return _context(Pair(certificate, _pem_key(key)), None)


def _context(pair: Pair, client_ca: bytes | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # ssl reads keys from files only; they live as long as this call.
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "pair.pem"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(pair.certificate + pair.key)
        context.load_cert_chain(path)
    if client_ca is not None:
        context.verify_mode = ssl.CERT_OPTIONAL
        context.load_verify_locations(cadata=client_ca.decode())
    return context


def server_context(default: Pair, by_name: Mapping[str, Pair], client_ca: bytes | None = None) -> ssl.SSLContext:
    """TLS with a certificate per server name; client certificates are optional, but when given ``client_ca`` must have
    signed them.
    """
    main = _context(default, client_ca)
    others = {name: _context(pair, client_ca) for name, pair in by_name.items()}

    def choose(connection: ssl.SSLSocket | ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> None:
        if name in others:
            connection.context = others[name]

    chooser: Callable[[ssl.SSLSocket | ssl.SSLObject, str | None, ssl.SSLContext], None] = choose
    main.sni_callback = chooser
    return main
