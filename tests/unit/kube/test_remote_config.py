# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test kubeconfigs that come from a remote system, in every place that accepts one: they run no program, read no file,
and connect to no other host.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.service import AssistedService
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.workload import Workload, open_workload
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.hub.observe import spoke_client
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import ClusterRef
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.credentials import (
    KUBECONFIG,
    read_credentials,
    write_credentials,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.guest import pending_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.config import KubeConfig, resolve, source_of
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.remote_config import (
    remote_kubeconfig,
    resolve_remote,
)
from ansible_collections.zerotouch.openshift.tests.support.hostile import http_json, kubeconfigs
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

ATTACKS = sorted(kubeconfigs.attacks(Path("/nonexistent")))


class Hub:
    """A hub that answers every request for a Secret with this kubeconfig."""

    def __init__(self, text: bytes) -> None:
        self._data = base64.b64encode(text).decode()

    def find(self, path: str) -> dict[str, Any] | None:
        return (
            {"metadata": {"name": "s", "namespace": "n"}, "data": {"kubeconfig": self._data}}
            if "/secrets/" in path
            else {"metadata": {"name": "c"}}
        )


@dataclasses.dataclass
class View:
    cluster: str = "n/c"
    machines: tuple[Any, ...] = (type("Machine", (), {"state": "csr-pending", "hostname": "worker-1"}),)
    hosted_cluster: Any = dataclasses.field(
        default_factory=lambda: {"metadata": {"namespace": "n"}, "status": {"kubeconfig": {"name": "s"}}}
    )


def from_guest(text: bytes, tmp_path: Path) -> None:
    lines = pending_requests(Hub(text), {}, View())  # type: ignore[arg-type]
    raise ZeroTouchError(*lines)


def from_service(text: bytes, tmp_path: Path) -> None:
    with http_json.serving(http_json.raw(text)) as server:
        AssistedService(server.url).credential_file("1", "kubeconfig-noingress")


ARRIVALS: dict[str, Callable[[bytes, Path], Any]] = {
    "the function": lambda text, tmp_path: resolve_remote(text, "kubeconfig of x"),
    "the hub's Secret, for a client": lambda text, tmp_path: spoke_client(
        Hub(text), ClusterRef("n", "c"), connect_to=None
    ),  # type: ignore[arg-type]
    "the hub's Secret, for a file": lambda text, tmp_path: write_credentials(
        read_credentials(Hub(text), "n", [("s", KUBECONFIG, tmp_path / "auth" / "kubeconfig")])  # type: ignore[arg-type]
    ),
    "the workload cluster": lambda text, tmp_path: open_workload(Hub(text), "n", Workload(), SystemClock()),  # type: ignore[arg-type]
    "the hosted cluster": from_guest,
    "the assisted-service": from_service,
}


@pytest.mark.parametrize("arrival", ARRIVALS)
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused(attack: str, arrival: str, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    document = kubeconfigs.attacks(marker)[attack]
    with pytest.raises(ZeroTouchError, match=r"is refused: |cannot be read|could not be read") as caught:
        ARRIVALS[arrival](kubeconfigs.dumped(document), tmp_path)
    assert not marker.exists() and not (tmp_path / "auth").exists()
    assert "password@" not in str(caught.value)


@pytest.mark.parametrize("arrival", [name for name in ARRIVALS if name != "the hosted cluster"])
@pytest.mark.parametrize("text", kubeconfigs.TEXTS)
def test_a_text_that_is_none_is_refused(text: str, arrival: str, tmp_path: Path) -> None:
    if text == "empty" and arrival == "the hub's Secret, for a file":
        pytest.skip("an empty Secret counts as not created yet")
    with pytest.raises(ZeroTouchError):
        ARRIVALS[arrival](kubeconfigs.TEXTS[text], tmp_path)
    assert not (tmp_path / "auth").exists()


def test_an_honest_one_passes_and_is_written(tmp_path: Path) -> None:
    text = kubeconfigs.dumped(kubeconfigs.honest())
    assert resolve_remote(text, "x").server == kubeconfigs.SERVER
    ARRIVALS["the hub's Secret, for a file"](text, tmp_path)
    assert (tmp_path / "auth" / "kubeconfig").read_bytes() == text
    with http_json.serving(http_json.raw(text)) as server:
        assert AssistedService(server.url).credential_file("1", "kubeconfig") == text


@pytest.mark.parametrize("user", [{"token": "abc"}, {"username": "a", "password": "b"}])
def test_other_credentials_that_are_data(user: dict[str, str]) -> None:
    document = kubeconfigs.honest()
    document["users"][0]["user"] = user
    assert resolve_remote(kubeconfigs.dumped(document), "x").authorization


def test_a_users_own_kubeconfig_may_run_a_program(tmp_path: Path) -> None:
    script = tmp_path / "login"
    script.write_text(
        "#!/bin/sh\necho "
        '\'{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"from-exec"}}\'\n'
    )
    script.chmod(0o755)
    document = kubeconfigs.honest()
    document["users"][0]["user"] = {
        "exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(script), "interactiveMode": "Never"}
    }
    document["clusters"][0]["cluster"].pop("certificate-authority-data")
    assert resolve(source_of(document, "own")).authorization == "Bearer from-exec"


@pytest.mark.parametrize("name", ["api.demo.example.com", "kubernetes", "192.0.2.1", "2001:db8::1"])
def test_server_names_that_pass(name: str) -> None:
    document = kubeconfigs.honest()
    document["clusters"][0]["cluster"]["tls-server-name"] = name
    assert resolve_remote(kubeconfigs.dumped(document), "x").server_name == name


def test_base64_in_several_lines() -> None:
    """Go ignores line ends in base64 as well."""
    document = kubeconfigs.honest()
    cluster = document["clusters"][0]["cluster"]
    cluster["certificate-authority-data"] = (
        cluster["certificate-authority-data"][:40] + "\n" + cluster["certificate-authority-data"][40:] + "\n"
    )
    assert resolve_remote(kubeconfigs.dumped(document), "x").ca.startswith("-----BEGIN CERTIFICATE-----")


def _own(**cluster: str) -> KubeConfig:
    """A kubeconfig that the user made."""
    document = kubeconfigs.honest("https://127.0.0.1:1")
    document["users"][0]["user"] = {"token": "abc"}
    document["clusters"][0]["cluster"] = {"server": "https://127.0.0.1:1", **cluster}
    return resolve(source_of(document, "own"))


@pytest.mark.parametrize("kind", ["file", "directory", "fifo", "missing"])
def test_data_is_never_taken_as_a_path(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "path"
    if kind == "file":
        path.write_text("secret")
    elif kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    with pytest.raises(ZeroTouchError, match="no certificate that can be read") as caught:
        KubeClient(_own(**{"certificate-authority-data": base64.b64encode(str(path).encode()).decode()}))
    assert str(path) not in str(caught.value)


@pytest.mark.parametrize("data", ["-----BEGIN CERTIFICATE-----\nü", "-----BEGIN TRUSTED CERTIFICATE-----\nx", "\0"])
def test_authorities_that_cannot_be_read(data: str) -> None:
    with pytest.raises(ZeroTouchError, match="no certificate that can be read"):
        KubeClient(_own(**{"certificate-authority-data": base64.b64encode(data.encode()).decode()}))


@pytest.mark.parametrize(
    "name", ["[", "a:99999", "a:443", "user:password@evil.example.com", "user@evil.example.com", "a/b", "a b", "a?"]
)
def test_server_names_of_users_that_cannot_be_used(name: str) -> None:
    with pytest.raises(ZeroTouchError, match="tls-server-name"):
        KubeClient(_own(**{"tls-server-name": name}))


@pytest.mark.parametrize("name", ["::1", "192.0.2.1", "my_host.example.com"])
def test_server_names_of_users_that_can_be_used(name: str) -> None:
    KubeClient(_own(**{"tls-server-name": name})).close()


def _key_pair(encryption: serialization.KeySerializationEncryption) -> dict[str, str]:
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a")]), datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    )
    certificate = (
        builder.not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1)).sign(key, hashes.SHA256())
    )
    texts = {
        "client-certificate-data": certificate.public_bytes(serialization.Encoding.PEM),
        "client-key-data": key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, encryption
        ),
    }
    return {name: base64.b64encode(text).decode() for name, text in texts.items()}


def _client_with(user: dict[str, str]) -> KubeClient:
    document = kubeconfigs.honest("https://127.0.0.1:1")
    document["clusters"][0]["cluster"].pop("certificate-authority-data")
    document["users"][0]["user"] |= user
    return KubeClient(resolve_remote(kubeconfigs.dumped(document), "kubeconfig of x"))


def test_a_key_with_a_passphrase_causes_no_prompt() -> None:
    with pytest.raises(ZeroTouchError, match="passphrase"):
        _client_with(_key_pair(serialization.BestAvailableEncryption(b"correct horse battery")))


def test_a_key_of_another_certificate() -> None:
    plain = serialization.NoEncryption()
    mixed = _key_pair(plain) | {"client-key-data": _key_pair(plain)["client-key-data"]}
    with pytest.raises(ZeroTouchError, match="client certificate"):
        _client_with(mixed)


def test_a_certificate_that_cannot_be_read() -> None:
    with pytest.raises(ZeroTouchError, match="client certificate"):
        _client_with({})


def test_a_key_pair_is_used() -> None:
    _client_with(_key_pair(serialization.NoEncryption())).close()


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
)
DATA_KEYS = {"client-certificate-data", "client-key-data", "token", "username", "password"}


@given(
    st.sampled_from(["clusters", "users", "contexts", ""]),
    st.text(min_size=1, max_size=20) | st.sampled_from(["exec", "tokenFile", "client-key", "proxy-url"]),
    ANY,
)
def test_whatever_passes_has_known_keys_only(section: str, key: str, value: Any) -> None:
    """Any key with any value, anywhere: what is accepted holds data alone."""
    document = kubeconfigs.honest()
    holder = {"clusters": "cluster", "users": "user", "contexts": "context"}
    (document[section][0][holder[section]] if section else document)[key] = value
    try:
        accepted = remote_kubeconfig(yaml.safe_dump(document), "x")
    except ZeroTouchError:
        return
    assert all(set(entry["user"]) <= DATA_KEYS for entry in accepted.get("users") or [])
    assert all(not {"proxy-url", "certificate-authority"} & set(entry["cluster"]) for entry in accepted["clusters"])
