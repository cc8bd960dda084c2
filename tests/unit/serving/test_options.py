# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test option ``openshift_publish`` as users write it: modes, certificates, and addresses to listen on."""

from __future__ import annotations

import datetime
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.certificate import check_pair
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.listening import taken_by
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.options import (
    USERINFO,
    PublishOptions,
    as_provided,
    check_options,
    read_publish,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.publish import publish
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from hypothesis import given
from hypothesis import strategies as st

NOW = datetime.datetime.now(datetime.UTC)
DAY = datetime.timedelta(days=1)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def pem_of(key: Any, passphrase: bytes = b"") -> bytes:
    encryption = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)


def certificate_of(key: Any, begins: datetime.datetime = NOW - DAY, ends: datetime.datetime = NOW + DAY) -> bytes:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "images")])
    builder = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    )
    return (
        builder.not_valid_before(begins)
        .not_valid_after(ends)
        .sign(key, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )


KEY, OTHER, RSA = (
    ec.generate_private_key(ec.SECP256R1()),
    ec.generate_private_key(ec.SECP256R1()),
    rsa.generate_private_key(65537, 2048),
)


@pytest.mark.parametrize(
    ("certificate", "key", "words"),
    [
        pytest.param(certificate_of(KEY), pem_of(KEY), "", id="a pair"),
        pytest.param(certificate_of(KEY) + pem_of(KEY), None, "", id="both in one file"),
        pytest.param(
            None, pem_of(KEY), "tls.certificate: Invalid value: {certificate} does not exist", id="no certificate"
        ),
        pytest.param(certificate_of(KEY), b"", "tls.key: Invalid value: {key} holds no private key", id="empty key"),
        pytest.param(
            certificate_of(KEY),
            None,
            ("tls.key: Invalid value: {certificate} holds no private key in PEM form; name the file"),
            id="no key at all",
        ),
        pytest.param(
            b"hello",
            pem_of(KEY),
            ("tls.certificate: Invalid value: {certificate} holds no certificate in PEM form"),
            id="not PEM",
        ),
        pytest.param(
            b"-----BEGIN CERTIFICATE-----\nAAAA\n",
            pem_of(KEY),
            ("tls.certificate: Invalid value: {certificate} cannot be used"),
            id="broken PEM",
        ),
        pytest.param(
            certificate_of(KEY),
            pem_of(OTHER),
            ("tls.key: Invalid value: {key} does not belong to the certificate {certificate}"),
            id="another key",
        ),
        pytest.param(
            certificate_of(KEY),
            pem_of(RSA),
            ("tls.key: Invalid value: {key} does not belong to the certificate {certificate}"),
            id="another kind",
        ),
        pytest.param(
            certificate_of(KEY),
            pem_of(KEY, b"secret"),
            ("tls.key: Invalid value: {key} is protected by a passphrase"),
            id="passphrase",
        ),
        pytest.param(
            certificate_of(KEY, NOW - 2 * DAY, NOW - DAY),
            pem_of(KEY),
            ("tls.certificate: Invalid value: {certificate} expired on"),
            id="expired",
        ),
        pytest.param(
            certificate_of(KEY, NOW + DAY, NOW + 2 * DAY),
            pem_of(KEY),
            ("tls.certificate: Invalid value: {certificate} is not valid before"),
            id="early",
        ),
    ],
)
def test_certificates(tmp_path: Path, certificate: bytes | None, key: bytes | None, words: str) -> None:
    paths = {"certificate": tmp_path / "tls.crt", "key": tmp_path / "tls.key"}
    for name, content in (("certificate", certificate), ("key", key)):
        if content is not None:
            paths[name].write_bytes(content)
    found = [
        problem.text()
        for problem in check_pair(str(paths["certificate"]), str(paths["key"]) if key is not None else "")
    ]
    assert len(found) == bool(words), found
    if words:
        assert found[0].startswith("openshift_publish." + words.format(**paths)), found


def test_a_key_that_is_not_readable(tmp_path: Path) -> None:
    (tmp_path / "tls.crt").write_bytes(certificate_of(KEY))
    (tmp_path / "tls.key").mkdir()
    (found,) = check_pair(str(tmp_path / "tls.crt"), str(tmp_path / "tls.key"))
    assert found.detail.endswith("cannot be read: Is a directory")


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("0640", 0o640), ("640", 0o640), ("0o644", 0o644), (0o640, 0o640), (0o600, 0o600), (0o444, 0o444), (None, 0o640)],
)
def test_modes(mode: Any, expected: int) -> None:
    options, problems = read_publish({"mode": mode})
    assert (options.mode, problems) == (expected, [])


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (0o777, "0777 lets others write to the image that machines boot; at most 0644"),
        ("0777", "0777 lets others write"),
        ("0666", "0666 lets others write"),
        ("0660", "0660 lets others write"),
        ("0755", "0755 is no mode for an image"),
        ("0044", "0044 is no mode for an image"),
        (640, "octal and in quotes"),
        (-1, "octal and in quotes"),
        (True, "octal and in quotes"),
        ("rw-r--r--", "octal and in quotes"),
        (6.4, "octal and in quotes"),
        ({}, "octal and in quotes"),
    ],
)
def test_modes_that_are_refused(mode: Any, words: str) -> None:
    (problem,) = read_publish({"mode": mode})[1]
    assert problem.path == "openshift_publish.mode" and words in problem.detail


def test_paths_are_from_the_directory_and_what_is_reported_is_read_the_same() -> None:
    options, problems = read_publish(
        {"method": "directory", "directory": "www", "url": "http://x/", "tls": {"certificate": "a.crt"}, "port": "80"},
        "/srv",
    )
    assert (options.directory, options.certificate, options.port, problems) == ("/srv/www", "/srv/a.crt", 80, [])
    assert read_publish(as_provided(options)) == (options, [])


@pytest.mark.parametrize(
    ("publish_", "text"),
    [
        (
            {"methd": "none"},
            "openshift_publish.methd: Unknown field: known: method, listen, port, url, directory, mode, tls, headers, verify, delete, image_access (did you mean method?)",  # noqa: E501
        ),
        (
            {"method": "ftp"},
            ("openshift_publish.method: Unsupported value: ftp: supported values: serve, directory, upload, none"),
        ),
        (
            {"method": ["x"]},
            ("openshift_publish.method: Unsupported value: ['x']: supported values: serve, directory, upload, none"),
        ),
        (
            {"port": "http"},
            ("openshift_publish.port: Invalid value: http: must be a number from 0 (any free one) to 65535"),
        ),
        (
            {"port": True},
            ("openshift_publish.port: Invalid value: True: must be a number from 0 (any free one) to 65535"),
        ),
        ({"url": "user:secret-word@images.example.com"}, f"openshift_publish.url: Forbidden: {USERINFO}"),
        (
            {"port": "user:secret-word@images.example.com"},
            "openshift_publish.port: Invalid value: must be a number from 0 (any free one) to 65535",
        ),
        ({"listen": 7}, "openshift_publish.listen: Invalid value: must be a string"),
        ({"tls": "x.pem"}, "openshift_publish.tls: Invalid value: must be a mapping with certificate and key"),
        ({"tls": {"cert": "x"}}, "openshift_publish.tls.cert: Unknown field: known: certificate, key"),
        ({"tls": {"key": 7}}, "openshift_publish.tls.key: Invalid value: must be the path of a PEM file"),
    ],
)
def test_what_cannot_be_read(publish_: dict[str, Any], text: str) -> None:
    assert [problem.text() for problem in read_publish(publish_)[1]] == [text]


@given(
    st.dictionaries(
        st.sampled_from(["method", "listen", "port", "url", "directory", "mode", "tls", "x"]), JSON, max_size=4
    )
)
def test_anything_at_all_is_read_or_reported(publish_: dict[str, Any]) -> None:
    options, problems = read_publish(publish_)
    assert read_publish(as_provided(options)) == (options, [])
    assert all(problem.path.startswith("openshift_publish.") and problem.detail for problem in problems)


@pytest.mark.parametrize(
    ("listen", "text"),
    [
        ("192.0.2.77", "openshift_publish.listen: Invalid value: 192.0.2.77 is not an address of this machine"),
        (
            "no-such-name.invalid",
            ("openshift_publish.listen: Invalid value: the name no-such-name.invalid cannot be resolved"),
        ),
        (
            "bastion..example.com",
            "openshift_publish.listen: Invalid value: the name bastion..example.com cannot be resolved",
        ),
        ("a" * 64, f"openshift_publish.listen: Invalid value: the name {'a' * 64} cannot be resolved"),
        ("a\0b", "openshift_publish.listen: Invalid value: the name a\\x00b cannot be resolved"),
        ("\ud800", "openshift_publish.listen: Invalid value: the name \\ud800 cannot be resolved"),
    ],
)
def test_where_this_machine_cannot_listen(listen: str, text: str) -> None:
    assert [problem.text() for problem in check_options(PublishOptions(listen=listen))] == [text]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may listen on every port")
def test_a_port_that_needs_rights() -> None:
    first = int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text())
    if first < 2:
        pytest.skip("every port is free for users here")
    (problem,) = check_options(PublishOptions(listen="127.0.0.1", port=1))
    assert problem.path == "openshift_publish.port" and "needs more rights" in problem.detail


@pytest.mark.parametrize("path", ["~no-such-user/x", "~a\0b/x", "~\ud800/x", "a\0b", "\ud800", "x/\ud800", "a" * 5000])
@pytest.mark.parametrize(
    ("publish_", "field"),
    [
        ({"tls": {"certificate": "{path}"}}, "tls.certificate"),
        ({"tls": {"certificate": "{good}", "key": "{path}"}}, "tls.key"),
        ({"method": "directory", "url": "http://x/", "directory": "{path}"}, "directory"),
    ],
)
def test_paths_that_are_none(tmp_path: Path, publish_: dict[str, Any], field: str, path: str) -> None:
    (tmp_path / "good.crt").write_bytes(certificate_of(KEY))
    texts = {"{path}": path, "{good}": str(tmp_path / "good.crt")}
    publish_ = {
        key: {name: texts[text] for name, text in value.items()} if isinstance(value, dict) else texts.get(value, value)
        for key, value in publish_.items()
    }
    options, problems = read_publish({**publish_, "image_access": {"ca_cert": path}}, str(tmp_path))
    assert problems == []
    (problem,) = check_options(options)
    assert problem.path == f"openshift_publish.{field}" and problem.kind == "Invalid value"


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_port_in_use_names_the_port_and_who_has_it(tmp_path: Path, check_mode: bool) -> None:
    image = tmp_path / "work" / "agent.iso"
    image.parent.mkdir()
    image.write_bytes(b"image")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert check_options(PublishOptions(listen="127.0.0.1", port=port)) == []
        with pytest.raises(
            ZeroTouchError,
            match=(
                rf"Port {port} of 127.0.0.1, .* in use by process {os.getpid()} "
                r"\(.+\)\. .*openshift_publish.port"
            ),
        ):
            publish(
                image,
                StateFile(tmp_path / "work" / "state.json"),
                PublishOptions(listen="127.0.0.1", port=port),
                SystemClock(),
                check_mode=check_mode,
            )
    assert taken_by("127.0.0.1", port) == "" == taken_by("127.0.0.1", 0)


def test_shares_and_the_login_for_the_image(tmp_path: Path) -> None:
    access = {"username": "reader", "password": "a secret of the images", "ca_cert": "ca.pem", "validate_certs": "no"}
    options, problems = read_publish(
        {"method": "none", "url": "nfs://files.example.com/x/agent.iso", "image_access": access}, str(tmp_path)
    )
    assert problems == [] and check_options(options) == [] and "a secret of the images" not in repr(options)
    assert as_provided(options)["image_access"] == {
        **access,
        "ca_cert": str(tmp_path / "ca.pem"),
        "validate_certs": False,
    }
    _options, problems = read_publish({"image_access": {"username": "reader", "login": "x"}})
    assert [problem.path for problem in problems] == [
        "openshift_publish.image_access.login",
        "openshift_publish.image_access.password",
    ]
