# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which changes of the configuration files require a new image: changes of content, not of formatting."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.inputs import (
    differing_paths,
    input_digests,
    same_content,
)
from hypothesis import given, settings
from hypothesis import strategies as st

INSTALL = """
apiVersion: v1
baseDomain: example.com
networking:
  networkType: OVNKubernetes
  machineNetwork: [{cidr: 192.168.1.0/24}]
platform: {baremetal: {apiVIPs: [192.168.1.5], hosts: []}}
pullSecret: '{"auths": {}}'
"""
AGENT = """
rendezvousIP: 192.168.1.10
hosts:
- {hostname: a, role: master, networkConfig: {interfaces: [{name: eth0}]}}
- {hostname: b, role: worker}
"""
FILES = {
    "install-config.yaml": INSTALL,
    "agent-config.yaml": AGENT,
    "openshift/x.yaml": "kind: A\n---\nkind: B\n",
    "release.json": '{"version": "4.22.0"}',
}


def text_digests(files: dict[str, str]) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as directory:
        for name, text in files.items():
            path = Path(directory) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return input_digests(Path(directory))


def changed(**texts: str) -> tuple[str, ...]:
    names = {
        "install": "install-config.yaml",
        "agent": "agent-config.yaml",
        "manifest": "openshift/x.yaml",
        "release": "release.json",
    }
    return differing_paths(
        text_digests({**FILES, **{names[key]: text for key, text in texts.items()}}), text_digests(FILES)
    )


@pytest.mark.parametrize(
    ("texts", "paths"),
    [
        ({"install": "# a comment\n" + INSTALL}, ()),
        ({"install": yaml.safe_dump(yaml.safe_load(INSTALL))}, ()),
        ({"install": json.dumps(dict(reversed(yaml.safe_load(INSTALL).items())), indent=4)}, ()),
        ({"manifest": "# two\n{kind: A}\n---\n'kind': \"B\"\n"}, ()),
        ({"release": '{ "version":"4.22.0" }'}, ()),
        ({"install": INSTALL.replace("example.com", "example.org")}, ("install-config.yaml: baseDomain",)),
        (
            {"install": INSTALL.replace("1.0/24", "2.0/24").replace("1.5", "1.6")},
            ("install-config.yaml: networking.machineNetwork[0]", "install-config.yaml: platform.baremetal.apiVIPs"),
        ),
        ({"agent": AGENT.replace("eth0", "eth1")}, ("agent-config.yaml: hosts[0]",)),
        ({"agent": AGENT + "additionalNTPSources: [a]\n"}, ("agent-config.yaml: additionalNTPSources",)),
        ({"agent": "- no mapping"}, ("agent-config.yaml",)),
        ({"agent": "{ not yaml"}, ("agent-config.yaml",)),
        ({"manifest": "kind: B\n---\nkind: A\n"}, ("openshift/x.yaml",)),
    ],
)
def test_what_is_a_change(texts: dict[str, str], paths: tuple[str, ...]) -> None:
    assert sorted(changed(**texts)) == sorted(paths)


def test_files_that_come_and_go() -> None:
    fewer = {name: text for name, text in FILES.items() if name != "agent-config.yaml"}
    assert differing_paths(text_digests(fewer), text_digests(FILES)) == ("agent-config.yaml",)
    assert differing_paths(text_digests(FILES), text_digests(fewer)) == ("agent-config.yaml",)
    assert differing_paths(text_digests(FILES), {}) == tuple(sorted(FILES))


VALUES: Any = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(
    first=st.dictionaries(st.text(max_size=5), VALUES, max_size=4),
    second=st.dictionaries(st.text(max_size=5), VALUES, max_size=4),
)
def test_the_form_is_never_a_change_and_the_content_always(first: Any, second: Any) -> None:
    block, flow = yaml.safe_dump(first, default_flow_style=False), json.dumps(dict(reversed(first.items())))
    if yaml.safe_load(block) == yaml.safe_load(flow):
        assert same_content("a.yaml", block, flow)
    if json.dumps(first, sort_keys=True) != json.dumps(second, sort_keys=True):
        assert not same_content("a.yaml", yaml.safe_dump(first), yaml.safe_dump(second))


def test_what_is_no_yaml_counts_by_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"\xff\x00")
    (tmp_path / "y.yaml").write_text("a: &a [*a]")
    (tmp_path / "z.txt").write_text("a: 1")
    assert set(input_digests(tmp_path)) == {"x.yaml", "y.yaml", "z.txt"}


def test_five_hundred_hosts_take_a_moment() -> None:
    host = {
        "networkConfig": {
            "interfaces": [{"name": f"eth{number}", "ipv4": {"address": [{"ip": "192.0.2.1"}]}} for number in range(4)]
        }
    }
    text = yaml.dump(
        {"hosts": [{"hostname": f"h{number}", **host} for number in range(500)]},
        Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper),
    )
    started = time.process_time()
    digests = text_digests({"agent-config.yaml": text})
    assert len(digests) == 501 and time.process_time() - started < 5
