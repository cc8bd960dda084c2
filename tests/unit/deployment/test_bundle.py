# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the bundle of diagnostic files that a failed wait writes: it is complete, only the owner can read it, and it
contains no secret in any form.
"""

from __future__ import annotations

import base64
import datetime
import gzip
import io
import json
import tarfile

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import Redactor
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import (
    WorkDir,
    hosts_of_state,
    identity,
    known_secrets,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.archive import (
    LeftOut,
    redact_archive,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.bundle import (
    failure_message,
    write_bundle,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.decide import Memory, Step
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.observe import Observer
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.setup import Setup
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.supervisor import WaitOutcome

from tests.support.hostile.terminals import PAYLOADS, harmful

NOW = datetime.datetime(2026, 11, 21, 10, 0, 0, tzinfo=datetime.UTC)
SECRET = "user-token-of-this-deployment"


def tar_of(**files):
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return target.getvalue()


class Media:
    def __init__(self, fault=None):
        self.fault = fault

    def inspect(self):
        if self.fault:
            raise ZeroTouchError(self.fault)
        return [
            {
                "name": "node-0",
                "power_state": "On",
                "media": [{"id": "Cd", "image": f"http://x/{SECRET}/agent.iso", "inserted": True}],
            }
        ]


def write(stage, media=None, **outcome):
    work_dir = WorkDir(stage.root)
    state = stage.state.read()
    observer = Observer(work_dir, state, identity(state, None), connect_to=ConnectTo.of(stage.connect_to), timeout=5)
    seen = observer.observe(state)
    setup = Setup(hosts_of_state(state))
    memory = Memory(0.0, phase="discovery", hosts={host.id: host for host in seen.service.hosts})
    step = Step("stop", f"it failed with {SECRET}")
    ended = WaitOutcome(step, memory, seen, 12.34, changed=False, suspects=("first", "second", "third"), **outcome)
    try:
        return write_bundle(
            work_dir.logs, ended, setup, observer, media or Media(), Redactor(known_secrets(work_dir)), NOW
        ), ended
    finally:
        observer.close()


@pytest.fixture
def busy(stage, staging):
    """Service and API with something to tell, secrets included."""
    stage.build()
    service = stage.serve()
    service.cluster = {
        "id": "c1",
        "status": "insufficient",
        "validations_info": json.dumps({"network": [{"id": "api-vips-defined", "status": "failure"}]}),
    }
    validations = json.dumps({"network": [{"id": "ntp-synced", "status": "failure", "message": f"token {SECRET}"}]})
    service.hosts = [staging.service_host(0, "insufficient", validations_info=validations), staging.service_host(1)]
    service.events = [
        {"message": f"registered with {base64.b64encode(SECRET.encode()).decode()}", "props": json.dumps({"a": SECRET})}
    ]
    inner = gzip.compress(tar_of(**{"journal.log": f"PULL {SECRET}\n".encode()}))
    service.logs = tar_of(
        **{"cluster_events.json": json.dumps([SECRET]).encode(), "host.tar.gz": inner, "binary": b"\xff\xfe"}
    )
    stage.installed()
    return stage


def test_everything_is_there_and_private(busy):
    bundle, _outcome = write(busy)
    assert bundle.directory == busy.root / "logs" / "20261121T100000Z"
    assert bundle.directory.stat().st_mode & 0o777 == 0o700
    assert set(bundle.files) == {
        "cluster.json",
        "hosts.json",
        "events.json",
        "clusterversion.json",
        "clusteroperators.json",
        "nodes.json",
        "bmc.json",
        "summary.json",
        "console-hints.txt",
        "service-logs.tar",
    }
    assert {path.name for path in bundle.directory.iterdir()} == set(bundle.files)
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in bundle.directory.iterdir())
    hosts = json.loads((bundle.directory / "hosts.json").read_text())
    assert hosts[0]["validations_info"]["network"][0]["id"] == "ntp-synced"
    hints = (bundle.directory / "console-hints.txt").read_text()
    assert "node-0: insufficient; 192.168.111.20; MAC 52:54:00:00:00:00" in hints


def test_no_secret_in_any_form(busy):
    bundle, _outcome = write(busy)
    forms = [SECRET.encode(), base64.b64encode(SECRET.encode())]
    for path in bundle.directory.iterdir():
        assert not any(form in path.read_bytes() for form in forms), path.name
    with tarfile.open(bundle.directory / "service-logs.tar") as logs:
        assert logs.extractfile("binary").read() == b"\xff\xfe"
        inner = gzip.decompress(logs.extractfile("host.tar.gz").read())
    with tarfile.open(fileobj=io.BytesIO(inner)) as journal:
        assert journal.extractfile("journal.log").read() == b"PULL <hidden>\n"


def test_no_file_for_readers_controls_a_terminal(busy, staging):
    attack = "".join(PAYLOADS.values()).replace("\ud800", "")
    busy.service.hosts[0] = staging.service_host(0, "insufficient", status_info=attack)
    bundle, _outcome = write(busy)
    texts = {path.name: path.read_text() for path in bundle.directory.iterdir() if path.suffix != ".tar"}
    assert "\\x1b[2J" in texts["console-hints.txt"] and "x1b[2J" in texts["hosts.json"]
    assert {name: harmful(text) for name, text in texts.items() if harmful(text)} == {}


def test_two_bundles_in_one_second(busy):
    first, _outcome = write(busy)
    second, _outcome = write(busy)
    assert second.directory.name == "20261121T100000Z-2" != first.directory.name


def test_what_cannot_be_had_is_named(stage):
    stage.build()
    bundle, _outcome = write(stage, Media("no BMC answers"))
    missing = json.loads((bundle.directory / "missing.json").read_text())
    assert missing["cluster.json"] == "was never answered"
    assert "192.168.111.20:8090" in missing["events.json"]
    assert missing["bmc.json"] == "no BMC answers"
    assert missing["service-logs.tar"] == "no cluster was registered"
    assert set(bundle.files) == {"summary.json", "console-hints.txt", "missing.json"}


@pytest.mark.parametrize(
    ("logs", "why"), [(None, "Logs were not found"), (b"<html>", "no tar archive"), (tar_of(x=b"x" * 600)[:700], "")]
)
def test_logs_that_are_not_served_as_they_should(busy, logs, why):
    busy.service.logs = logs
    bundle, _outcome = write(busy)
    if why:
        assert why in json.loads((bundle.directory / "missing.json").read_text())["service-logs.tar"]
        assert "service-logs.tar" not in bundle.files and not (bundle.directory / "service-logs.tar").exists()


def test_the_message(stage):
    stage.build()
    bundle, outcome = write(stage)
    text = failure_message(outcome, bundle.directory)
    assert text.splitlines()[1:] == [
        f"Everything that could be collected is in {bundle.directory}.",
        "First suspects:",
        "1. first",
        "2. second",
        "3. third",
    ]


def test_members_that_cannot_be_looked_into_are_left_out(monkeypatch):
    monkeypatch.setattr(
        "ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.archive.MEMBER_LIMIT", 1000
    )
    deep = gzip.compress(gzip.compress(gzip.compress(gzip.compress(SECRET.encode()))))
    source = tar_of(
        large=b"x" * 1001, deep=deep, broken=b"\x1f\x8bnot gzip", small=b"fine", bomb=gzip.compress(b"0" * 5000)
    )
    target = io.BytesIO()
    assert redact_archive(io.BytesIO(source), target, Redactor([SECRET])) == LeftOut(
        ["large", "deep", "broken", "bomb"], 4
    )
    with tarfile.open(fileobj=io.BytesIO(target.getvalue())) as clean:
        assert clean.getnames() == ["small"]


def test_names_and_headers_have_no_secret() -> None:
    source, target = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=source, mode="w", format=tarfile.PAX_FORMAT) as archive:
        file, link = tarfile.TarInfo(f"logs/{SECRET}/x.log"), tarfile.TarInfo("link")
        link.type, link.linkname, link.pax_headers = tarfile.SYMTYPE, f"/etc/{SECRET}", {"comment": SECRET}
        file.uname = SECRET
        archive.addfile(file)
        archive.addfile(link)
    source.seek(0)
    assert redact_archive(source, target, Redactor([SECRET])).count == 0
    assert SECRET.encode() not in target.getvalue()
    with tarfile.open(fileobj=io.BytesIO(target.getvalue())) as clean:
        assert [(member.name, member.linkname) for member in clean] == [
            ("logs/<hidden>/x.log", ""),
            ("link", "/etc/<hidden>"),
        ]


def test_of_many_members_left_out_some_are_named() -> None:
    source = tar_of(**{f"{number:03d}{SECRET}": b"\x1f\x8bnot gzip" for number in range(500)})
    left_out = redact_archive(io.BytesIO(source), io.BytesIO(), Redactor([SECRET]))
    assert left_out.names == [f"{number:03d}<hidden>" for number in range(20)] and left_out.count == 500
    assert str(left_out).endswith("019<hidden> and 480 more")
