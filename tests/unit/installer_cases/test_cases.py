# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the runner for the installer's test cases with cases of our own. tests/unit/upstream/test_installer_cases.py
runs the installer's cases.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import make_secrets
from ansible_collections.zerotouch.openshift.tests.support import live_image
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.archive import Archive
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.case import run_case
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.installer import Installer
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.script import Script, ScriptFailure, Skipped

SINGLE_NODE = r"""
exec openshift-install agent create image --dir $WORK
stderr 'Configuration has 1 master replicas, 0 arbiter replicas, and 0 worker replicas'
stderr 'The rendezvous host IP \(node0 IP\) is 192.0.2.11'
exists $WORK/agent.x86_64.iso $WORK/auth/kubeconfig $WORK/auth/kubeadmin-password
isoIgnitionContains agent.x86_64.iso /etc/assisted/rendezvous-host.env
! isoIgnitionContains agent.x86_64.iso /etc/assisted/no-such-file
isoIgnitionUser agent.x86_64.iso core 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFFqxkMhK3Oo0Vb6wiwGPbtNBrNzlP3rl64oT6WvJqp5'
isoCmpRegEx agent.x86_64.iso /etc/assisted/rendezvous-host.env expected-host.env

! exec openshift-install agent create image --dir $WORK/refused
stderr 'rendezvousIP'

-- install-config.yaml --
apiVersion: v1
baseDomain: example.com
metadata: {name: one}
controlPlane: {name: master, replicas: 1}
compute: [{name: worker, replicas: 0}]
networking:
  networkType: OVNKubernetes
  machineNetwork: [{cidr: 192.0.2.0/24}]
platform: {none: {}}
sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFFqxkMhK3Oo0Vb6wiwGPbtNBrNzlP3rl64oT6WvJqp5
pullSecret: '{"auths": {"quay.io": {"auth": "dXNlcjpwYXNzd29yZA=="}}}'
-- agent-config.yaml --
apiVersion: v1beta1
kind: AgentConfig
metadata: {name: one}
rendezvousIP: 192.0.2.11
-- expected-host.env --
NODE_ZERO_IP=192\.0\.2\.11
-- refused/install-config.yaml --
apiVersion: v1
baseDomain: example.com
metadata: {name: one}
controlPlane: {name: master, replicas: 1}
compute: [{name: worker, replicas: 0}]
networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}
platform: {none: {}}
pullSecret: '{"auths": {"quay.io": {"auth": "dXNlcjpwYXNzd29yZA=="}}}'
-- refused/agent-config.yaml --
apiVersion: v1beta1
kind: AgentConfig
metadata: {name: one}
rendezvousIP: somewhere
"""


def test_a_single_node(tmp_path: Path) -> None:
    base = live_image.make_iso(tmp_path / "rhcos.iso", ignition=262144)
    run_case(Archive.parse(SINGLE_NODE), tmp_path, base=base, version="4.22.0", secrets=make_secrets())


def run_script(tmp_path: Path, script: str, files: str = "") -> None:
    work = tmp_path / "case"
    work.mkdir()
    Script(
        Archive.parse(f"{script}\n{files}"), work, Installer(tmp_path / "scratch", tmp_path, "4.22.0", "", None), {}
    ).run()  # type: ignore[arg-type]


FILES = "-- a/one.txt --\none $X\n-- two.txt --\none 1\n"


@pytest.mark.parametrize(
    "script",
    [
        "exists $WORK/a/one.txt two.txt\n! exists three.txt",
        "env X=1\ncmpenv a/one.txt two.txt\n! cmp a/one.txt two.txt",
        "grep '^one' two.txt\n! grep two two.txt\ngrep -count=1 one two.txt",
        (
            "cp two.txt three.txt\ncmp two.txt three.txt\nrm two.txt\n! exists two.txt\nmkdir d/e\nexists d/e\nmv "
            "three.txt d/e/f\nexists d/e/f"
        ),
        "env X=1\nexpandFile a/one.txt\ncmp a/one.txt two.txt",
        (
            "[windows] exists nothing\n[!linux] exists nothing\n# a comment\nexists two.txt # and another\nstop\n"
            "exists "
            "nothing"
        ),
    ],
)
def test_what_holds(tmp_path: Path, script: str) -> None:
    run_script(tmp_path, script, FILES)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exists three.txt", "line 1: exists three.txt: three.txt does not exist"),
        ("! exists two.txt", "line 1: ! exists two.txt: it holds"),
        ("cmp a/one.txt two.txt", "line 1 differs: 'one \\$X' instead of 'one 1'"),
        ("grep three two.txt", "no match for 'three'"),
        ("frobnicate two.txt", "line 1: unknown command frobnicate"),
        ("[plan9] exists two.txt", "unknown condition"),
        ("exec sh -c true", "unknown program sh"),
        ("exec openshift-install create cluster", "is not known"),
        ("exec openshift-install agent create image --dir $WORK --fast", "unknown options --fast"),
        ("! exec openshift-install agent create image --dir $WORK\nstderr 'all is well'", "no match for 'all is well'"),
        ("exec openshift-install agent create image --dir $WORK", "exit status 1"),
    ],
)
def test_what_does_not_hold_fails(tmp_path: Path, script: str, message: str) -> None:
    with pytest.raises(ScriptFailure, match=message):
        run_script(tmp_path, script, FILES)


@pytest.mark.parametrize("script", ["skip 'not today'", "exec openshift-install agent graph"])
def test_what_has_no_counterpart_is_skipped(tmp_path: Path, script: str) -> None:
    with pytest.raises(Skipped):
        run_script(tmp_path, script, FILES)
