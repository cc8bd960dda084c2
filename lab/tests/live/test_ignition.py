# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how simulated hosts apply Ignition configs: which errors stop the boot, and which are only logged."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from typing import Any

import pytest
from ztlab.live.ignition import IgnitionError, parse
from ztlab.live.root import Root, parse_env


def config(**parts: Any) -> bytes:
    return json.dumps({"ignition": {"version": "3.2.0"}, **parts}).encode()


def files(*entries: dict[str, Any]) -> bytes:
    return config(storage={"files": list(entries)})


def data(content: bytes) -> str:
    return "data:;base64," + base64.b64encode(content).decode()


PACKED = gzip.compress(b"hello")
GOOD: list[tuple[dict[str, Any], bytes]] = [
    ({"source": data(b"hello")}, b"hello"),
    ({"source": "data:,hel%6Co"}, b"hello"),
    ({"source": data(PACKED), "compression": "gzip"}, b"hello"),
    ({"source": data(b"hello"), "verification": {"hash": "sha256-" + hashlib.sha256(b"hello").hexdigest()}}, b"hello"),
]
BAD: list[tuple[bytes, str]] = [
    (b"\xff", "not valid UTF-8"),
    (b"[]", "must be an object"),
    (json.dumps({"ignition": {"version": "4.0.0"}}).encode(), "unsupported config version"),
    (config(storage={"disks": [{"device": "/dev/sda"}]}), r"\$\.storage\.disks"),
    (files({"path": "etc/x"}), "path not absolute"),
    (files({"mode": 420}), "path not specified"),
    (files({"path": "/x", "mode": "0644"}), "must be an integer"),
    (files({"path": "/x", "mode": 65536}), "illegal file mode"),
    (files({"path": "/x", "overwrite": True}), "overwrite must be false if source is unspecified"),
    (files({"path": "/x", "overwrite": "yes", "contents": {"source": data(b"")}}), "must be true or false"),
    (files({"path": "/x"}, {"path": "//x"}), "duplicate entry defined: /x"),
    (files({"path": "/x", "contents": {"source": "data:;base64,###"}}), "unable to parse data URL"),
    (files({"path": "/x", "contents": {"source": "data:nothing"}}), "unable to parse data URL"),
    (files({"path": "/x", "contents": {"source": "http://x/y"}}), "fetches no http URLs"),
    (files({"path": "/x", "contents": {"source": data(b"x"), "compression": "zip"}}), "invalid compression method"),
    (files({"path": "/x", "contents": {"source": data(b"x"), "compression": "gzip"}}), "content is not gzip"),
    (files({"path": "/x", "contents": {"source": data(b"x"), "verification": {"hash": "sha256-0"}}}), "does not match"),
    (config(systemd={"units": [{"name": "x"}]}), "invalid systemd unit name"),
    (config(systemd={"units": [{"name": "x.service", "contents": "ExecStart=/bin/true\n"}]}), "invalid unit content"),
    (config(systemd={"units": [{"name": "x.service", "contents": "[Unit\n"}]}), "unable to find end of section"),
    (config(passwd={"users": [{"sshAuthorizedKeys": []}]}), r"users\.0\.name: missing"),
]


@pytest.mark.parametrize(("contents", "expected"), GOOD)
def test_contents(contents: dict[str, Any], expected: bytes) -> None:
    (file,) = parse(files({"path": "/a/b", "contents": contents})).files
    assert (file.path, file.content, file.mode) == ("/a/b", expected, 0o644)


@pytest.mark.parametrize(("document", "reason"), BAD)
def test_errors(document: bytes, reason: str) -> None:
    with pytest.raises(IgnitionError, match=reason):
        parse(document)


def test_empty_objects_and_unknown_keys_are_tolerated() -> None:
    document = files(
        {"path": "/x", "group": {}, "contents": {"source": data(b""), "verification": {}}, "colour": "blue"}
    )
    parsed = parse(document)
    assert parsed.warnings == ("$.storage.files.0: unused key colour",)


def test_a_unit_that_cannot_be_enabled_is_a_warning() -> None:
    parsed = parse(
        config(
            systemd={"units": [{"name": "x.service", "enabled": True, "contents": "[Service]\nExecStart=/bin/true\n"}]}
        )
    )
    assert "no [Install] section" in parsed.warnings[0]


def test_writing_and_appending() -> None:
    root = Root()
    append = {"path": "/etc/motd", "append": [{"source": data(b"a")}, {"source": data(b"b")}]}
    root.apply(parse(files(append, {"path": "/etc/issue", "overwrite": True, "contents": {"source": data(b"new")}})))
    assert root.data("/etc/motd") == b"ab" and root.text("/etc/issue") == "new"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/usr/bin/x", "read-only file system"),
        ("/bin/x", "read-only file system"),
        ("/etc/chrony.conf", "overwrite is false"),
    ],
)
def test_places_that_refuse(path: str, reason: str) -> None:
    with pytest.raises(IgnitionError, match=reason):
        Root().apply(parse(files({"path": path, "contents": {"source": data(b"x")}})))


def test_what_may_be_written_below_usr() -> None:
    root = Root()
    root.apply(parse(files({"path": "/usr/local/bin/x", "contents": {"source": data(b"x")}})))
    assert root.exists("/usr/local/bin") and root.subdirectories("/usr") == ["local"]


def test_environment_files() -> None:
    text = '#\n\n; x\nA=1\nB=\'two words\'\nC=[{"a": "b"}]\nbroken\n'
    assert parse_env(text) == {"A": "1", "B": "two words", "C": '[{"a": "b"}]'}
    assert parse_env(text, quotes=False)["B"] == "'two words'"
