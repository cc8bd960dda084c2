# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test creating the secrets of a build: tokens, signers, certificates, kubeadmin password, and kubeconfig."""

from __future__ import annotations

import base64
import datetime
import json
import re

import bcrypt
import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Cluster, Pool
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import (
    SIGNERS,
    BuildSecrets,
    admin_kubeconfig,
    from_state,
    make_secrets,
    new_password,
)
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

CLUSTER = Cluster("kni", "example.com.", "4.22.0", "", "none", Pool(1), Pool(0))


def decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def verify(token: str, public_key: str) -> dict[str, str]:
    """The claims of an ES256 token, as any JWT library would check it."""
    pem = base64.b64decode(public_key).decode()
    assert pem.startswith("-----BEGIN EC PUBLIC KEY-----\n")
    # Go's reader looks at the DER inside, whatever the block is called; OpenSSL wants the usual name.
    key = serialization.load_pem_public_key(pem.replace("EC PUBLIC KEY", "PUBLIC KEY").encode())
    assert isinstance(key, ec.EllipticCurvePublicKey)
    head, body, signature = token.split(".")
    assert json.loads(decoded(head)) == {"alg": "ES256", "typ": "JWT"}
    raw = decoded(signature)
    assert len(raw) == 64
    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key.verify(der, f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
    return json.loads(decoded(body))


@pytest.mark.parametrize(
    ("field", "scheme"), [("agent_token", "agentAuth"), ("user_token", "userAuth"), ("watcher_token", "watcherAuth")]
)
def test_tokens_are_es256_and_do_not_expire(secrets: BuildSecrets, field: str, scheme: str) -> None:
    assert verify(getattr(secrets, field), secrets.public_key) == {"auth_scheme": scheme}


def test_a_token_of_another_build_is_not_accepted(secrets: BuildSecrets) -> None:
    with pytest.raises(InvalidSignature):
        verify(make_secrets().user_token, secrets.public_key)


@pytest.mark.parametrize("name", SIGNERS)
def test_signers_are_ca_certificates_of_their_own(secrets: BuildSecrets, name: str) -> None:
    pair = secrets.signers[name]
    certificate = x509.load_pem_x509_certificate(pair.crt.encode())
    key = serialization.load_pem_private_key(pair.key.encode(), None)
    assert pair.key.startswith("-----BEGIN RSA PRIVATE KEY-----")
    assert key.key_size == 2048  # type: ignore[union-attr]
    assert key.public_key() == certificate.public_key()
    assert certificate.subject == certificate.issuer
    assert certificate.subject.rfc4514_string() == f"CN={name},OU=openshift"
    assert certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert certificate.extensions.get_extension_for_class(x509.KeyUsage).value.key_cert_sign
    certificate.verify_directly_issued_by(certificate)


def test_the_administrators_certificate_is_issued_by_its_signer(secrets: BuildSecrets) -> None:
    certificate = x509.load_pem_x509_certificate(secrets.admin_kubeconfig.crt.encode())
    signer = x509.load_pem_x509_certificate(secrets.signers["admin-kubeconfig-signer"].crt.encode())
    signer.public_key().verify(  # type: ignore[union-attr, call-arg]
        certificate.signature,
        certificate.tbs_certificate_bytes,
        padding.PKCS1v15(),  # type: ignore[arg-type]
        hashes.SHA256(),  # type: ignore[arg-type]
    )
    assert certificate.subject.rfc4514_string() == "CN=system:admin,O=system:masters"
    usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [x509.oid.ExtendedKeyUsageOID.CLIENT_AUTH]
    assert not certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_certificates_are_valid_for_ten_years_from_now() -> None:
    now = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
    made = make_secrets(now)
    for pair in (*made.signers.values(), made.admin_kubeconfig):
        certificate = x509.load_pem_x509_certificate(pair.crt.encode())
        assert certificate.not_valid_before_utc == now
        assert certificate.not_valid_after_utc == now + datetime.timedelta(days=3650)


def test_the_password_has_the_installers_form_and_its_hash_fits(secrets: BuildSecrets) -> None:
    for password in (secrets.kubeadmin_password, *(new_password() for _each in range(50))):
        assert re.fullmatch(r"([a-km-zA-NP-Z2-9]{5}-){3}[a-km-zA-NP-Z2-9]{5}", password)
    assert secrets.kubeadmin_hash.startswith("$2a$10$")
    assert bcrypt.checkpw(secrets.kubeadmin_password.encode(), secrets.kubeadmin_hash.encode())


def test_secrets_survive_the_state_file(secrets: BuildSecrets) -> None:
    assert from_state(json.loads(json.dumps(secrets.to_state()))) == secrets
    assert from_state({}) is None
    assert set(secrets.to_state()) == {
        "infra_env_id",
        "public_key",
        "agent_token",
        "user_token",
        "watcher_token",
        "kubeadmin_password",
        "kubeadmin_hash",
        "signers",
        "admin_kubeconfig",
    }


@pytest.mark.parametrize("missing", ["infra_env_id", "signers", "admin_kubeconfig"])
def test_incomplete_secrets_are_not_completed_by_new_ones(secrets: BuildSecrets, missing: str) -> None:
    section = secrets.to_state()
    del section[missing]
    with pytest.raises(ZeroTouchError, match=missing) as caught:
        from_state(section)
    assert "start_over" in caught.value.hint


def test_a_missing_signer_is_named(secrets: BuildSecrets) -> None:
    section = json.loads(json.dumps(secrets.to_state()))
    del section["signers"]["kube-apiserver-lb-signer"]
    with pytest.raises(ZeroTouchError, match="kube-apiserver-lb-signer"):
        from_state(section)


def test_secrets_do_not_print(secrets: BuildSecrets) -> None:
    shown = f"{secrets} {secrets!r} {secrets.signers['kube-apiserver-lb-signer']!r}"
    assert not [value for value in secrets.values() if value in shown]


def test_kubeconfig(secrets: BuildSecrets) -> None:
    document = yaml.safe_load(admin_kubeconfig(secrets, CLUSTER))
    cluster, user = document["clusters"][0], document["users"][0]
    assert document["current-context"] == "admin"
    assert document["contexts"] == [{"name": "admin", "context": {"cluster": "kni", "user": "admin"}}]
    assert cluster["name"] == "kni"
    assert cluster["cluster"]["server"] == "https://api.kni.example.com:6443"
    authorities = x509.load_pem_x509_certificates(base64.b64decode(cluster["cluster"]["certificate-authority-data"]))
    assert [
        authority.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)[0].value for authority in authorities
    ] == [
        "kube-apiserver-localhost-signer",
        "kube-apiserver-service-network-signer",
        "kube-apiserver-lb-signer",
    ]
    assert user["name"] == "admin"
    assert base64.b64decode(user["user"]["client-certificate-data"]).decode() == secrets.admin_kubeconfig.crt
    assert base64.b64decode(user["user"]["client-key-data"]).decode() == secrets.admin_kubeconfig.key
