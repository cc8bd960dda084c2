# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Generate the secrets of a cluster: tokens, signer certificates, and the administrator's certificate and password.

They are generated once and kept in section ``secrets`` of state.json (mode 0600). A rebuilt image uses the same values,
so that a kubeconfig that the user already has stays valid.

Source: openshift/installer pkg/asset/agent/gencrypto, cmd/openshift-install/agent.go.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import secrets as random
import string
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from ..common import libraries
from ..common.errors import ZeroTouchError
from ..common.yaml_text import dump
from .tokens import make_tokens

LOAD_BALANCER_SIGNER = "kube-apiserver-lb-signer"
LOCALHOST_SIGNER = "kube-apiserver-localhost-signer"
SERVICE_NETWORK_SIGNER = "kube-apiserver-service-network-signer"
ADMIN_SIGNER = "admin-kubeconfig-signer"
SIGNERS = (LOAD_BALANCER_SIGNER, LOCALHOST_SIGNER, SERVICE_NETWORK_SIGNER, ADMIN_SIGNER)
# The order of the CAs in a kubeconfig (openshift/installer cmd/openshift-install/agent.go).
SERVING_SIGNERS = (LOCALHOST_SIGNER, SERVICE_NETWORK_SIGNER, LOAD_BALANCER_SIGNER)

_LIFETIME = datetime.timedelta(days=3650)
_RSA_BITS = 2048
_PASSWORD_ALPHABET = "".join(character for character in string.ascii_letters + string.digits if character not in "lO01")
_PASSWORD_GROUPS, _PASSWORD_GROUP = 4, 5
_BCRYPT_COST = 10


@dataclasses.dataclass(frozen=True)
class KeyPair:
    """PEM texts of a private key and its certificate."""

    key: str = dataclasses.field(repr=False)
    crt: str = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class BuildSecrets:
    """Section ``secrets`` of the state.

    ``public_key`` is the base64 of a PEM text, as EC_PUBLIC_KEY_PEM wants it; the tokens are JWTs signed with its
    private key, which is not kept.
    """

    infra_env_id: str
    public_key: str = dataclasses.field(repr=False)
    agent_token: str = dataclasses.field(repr=False)
    user_token: str = dataclasses.field(repr=False)
    watcher_token: str = dataclasses.field(repr=False)
    kubeadmin_password: str = dataclasses.field(repr=False)
    kubeadmin_hash: str = dataclasses.field(repr=False)
    signers: Mapping[str, KeyPair] = dataclasses.field(repr=False)
    admin_kubeconfig: KeyPair = dataclasses.field(repr=False)

    def to_state(self) -> dict[str, Any]:
        """The section as JSON can hold it; :func:`from_state` reads it back."""
        return dataclasses.asdict(self)

    def values(self) -> list[str]:
        """What must not appear in any output."""
        keys = [pair.key for pair in (*self.signers.values(), self.admin_kubeconfig)]
        return [
            self.agent_token,
            self.user_token,
            self.watcher_token,
            self.kubeadmin_password,
            self.kubeadmin_hash,
            *keys,
        ]


def from_state(section: Mapping[str, Any]) -> BuildSecrets | None:
    """The secrets of an earlier run, or None when there are none.

    Raises :class:`ZeroTouchError` for a section that lacks a part: making up the rest would not fit an image that is
    already booted.
    """
    if not section:
        return None
    try:
        fields = {field.name: section[field.name] for field in dataclasses.fields(BuildSecrets)}
        fields["signers"] = {name: KeyPair(**section["signers"][name]) for name in SIGNERS}
        fields["admin_kubeconfig"] = KeyPair(**section["admin_kubeconfig"])
    except (KeyError, TypeError) as error:
        raise ZeroTouchError(
            f"The secrets of this cluster in state.json are incomplete: {error}.",
            "Restore state.json, or run with -e openshift_force=start_over and openshift_confirm.",
        ) from error
    return BuildSecrets(**fields)


def complete_section(section: Mapping[str, Any]) -> bool:
    """Whether the section holds everything that :func:`from_state` needs."""
    try:
        return from_state(section) is not None
    except ZeroTouchError:
        return False


def renew_admin(signers: Mapping[str, KeyPair]) -> KeyPair:
    """Another client certificate of system:admin, where the first one is lost and its signer is not."""
    signer = signers[ADMIN_SIGNER]
    start = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    key = libraries.serialization.load_pem_private_key(signer.key.encode(), None)
    return _admin_certificate(_rsa_key(), key, libraries.x509.load_pem_x509_certificate(signer.crt.encode()), start)


def issued_by(certificate: str, signers: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether the client certificate (PEM) was issued by these signers' one for the administrator."""
    x509 = libraries.x509
    try:
        signer = x509.load_pem_x509_certificate(signers[ADMIN_SIGNER]["crt"].encode())
        x509.load_pem_x509_certificate(certificate.encode()).verify_directly_issued_by(signer)
    except (ValueError, KeyError, TypeError, libraries.cryptography_exceptions.InvalidSignature):
        return False
    return True


def make_secrets(now: datetime.datetime | None = None) -> BuildSecrets:
    """Fresh secrets; certificates are valid from ``now`` (default: the current time) for ten years."""
    start = (now or datetime.datetime.now(datetime.UTC)).replace(microsecond=0)
    # Key generation is pure OpenSSL and releases the interpreter lock.
    with ThreadPoolExecutor(max_workers=len(SIGNERS) + 2) as pool:
        password = new_password()
        hashed = pool.submit(hash_password, password)
        made = [pool.submit(_rsa_key) for _each in (*SIGNERS, "admin")]
        *keys, admin_key = [future.result() for future in made]
        signer_keys = dict(zip(SIGNERS, keys, strict=True))
        signers = {name: _signer(name, key, start) for name, key in signer_keys.items()}
        tokens = make_tokens()
        return BuildSecrets(
            infra_env_id=str(uuid.uuid4()),
            public_key=tokens.public_key,
            agent_token=tokens.agent_token,
            user_token=tokens.user_token,
            watcher_token=tokens.watcher_token,
            kubeadmin_password=password,
            kubeadmin_hash=hashed.result(),
            signers={name: pair for name, (pair, _certificate) in signers.items()},
            admin_kubeconfig=_admin_certificate(admin_key, signer_keys[ADMIN_SIGNER], signers[ADMIN_SIGNER][1], start),
        )


# Certificates


def _rsa_key() -> Any:
    return libraries.rsa.generate_private_key(public_exponent=65537, key_size=_RSA_BITS)


def _key_pem(key: Any) -> str:
    serialization = libraries.serialization
    text: bytes = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    return text.decode()


def _certificate_pem(certificate: Any) -> str:
    text: bytes = certificate.public_bytes(libraries.serialization.Encoding.PEM)
    return text.decode()


def _name(common_name: str, **units: str) -> Any:
    x509 = libraries.x509
    oids = {"organization": x509.NameOID.ORGANIZATION_NAME, "unit": x509.NameOID.ORGANIZATIONAL_UNIT_NAME}
    attributes = [x509.NameAttribute(oids[kind], value) for kind, value in units.items()]
    return x509.Name([*attributes, x509.NameAttribute(x509.NameOID.COMMON_NAME, common_name)])


def _builder(subject: Any, issuer: Any, public_key: Any, start: datetime.datetime) -> Any:
    x509 = libraries.x509
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + _LIFETIME)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
    )


def _usage(**allowed: bool) -> Any:
    names = (
        "digital_signature content_commitment key_encipherment data_encipherment key_agreement key_cert_sign crl_sign "
        "encipher_only decipher_only"
    ).split()
    return libraries.x509.KeyUsage(**{name: allowed.get(name, False) for name in names})


def _signer(common_name: str, key: Any, start: datetime.datetime) -> tuple[KeyPair, Any]:
    """A self-signed CA."""
    x509 = libraries.x509
    subject = _name(common_name, unit="openshift")
    certificate = (
        _builder(subject, subject, key.public_key(), start)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(_usage(digital_signature=True, key_encipherment=True, key_cert_sign=True), critical=True)
        .sign(key, libraries.hashes.SHA256())
    )
    return KeyPair(_key_pem(key), _certificate_pem(certificate)), certificate


def _admin_certificate(key: Any, signer_key: Any, signer: Any, start: datetime.datetime) -> KeyPair:
    """The client certificate of system:admin."""
    x509 = libraries.x509
    certificate = (
        _builder(_name("system:admin", organization="system:masters"), signer.subject, key.public_key(), start)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(digital_signature=True, key_encipherment=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage([x509.oid.ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer_key.public_key()), critical=False)
        .sign(signer_key, libraries.hashes.SHA256())
    )
    return KeyPair(_key_pem(key), _certificate_pem(certificate))


# Password and kubeconfig


def new_password() -> str:
    """``xxxxx-xxxxx-xxxxx-xxxxx`` of letters and digits without l, O, 0, 1: about 116 bits."""
    return "-".join(
        "".join(random.choice(_PASSWORD_ALPHABET) for _each in range(_PASSWORD_GROUP))
        for _group in range(_PASSWORD_GROUPS)
    )


def hash_password(password: str) -> str:
    """bcrypt, in the form ``$2a$…`` that crypt(3) of the live system and the cluster's login both read."""
    hashed: bytes = libraries.bcrypt.hashpw(
        password.encode(), libraries.bcrypt.gensalt(rounds=_BCRYPT_COST, prefix=b"2a")
    )
    return hashed.decode()


class Reachable(Protocol):
    """A cluster by its name and the URL of its API."""

    @property
    def name(self) -> str:
        """The name of the cluster."""

    @property
    def api_url(self) -> str:
        """The URL of its API."""


def admin_kubeconfig(secrets: BuildSecrets, cluster: Reachable) -> str:
    """auth/kubeconfig: user ``admin`` with the client certificate, trusting the three signers of the API's serving
    certificates.
    """

    def data(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    authorities = "".join(secrets.signers[name].crt for name in SERVING_SIGNERS)
    return dump(
        {
            "apiVersion": "v1",
            "clusters": [
                {
                    "cluster": {"certificate-authority-data": data(authorities), "server": cluster.api_url},
                    "name": cluster.name,
                }
            ],
            "contexts": [{"context": {"cluster": cluster.name, "user": "admin"}, "name": "admin"}],
            "current-context": "admin",
            "kind": "Config",
            "preferences": {},
            "users": [
                {
                    "name": "admin",
                    "user": {
                        "client-certificate-data": data(secrets.admin_kubeconfig.crt),
                        "client-key-data": data(secrets.admin_kubeconfig.key),
                    },
                }
            ],
        }
    )
