# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the lab's simulation of systemd: which units run, and with which environment."""

from __future__ import annotations

import pytest
from ztlab.live.ignition import Unit
from ztlab.live.root import Root
from ztlab.live.systemd import Container, NotStarted, Systemd

SERVICE = "[Service]\nExecStart=/usr/bin/true\n"
INSTALL = "[Install]\nWantedBy=multi-user.target\n"


def systemd(root: Root | None = None, **units: str) -> Systemd:
    """Return a Systemd with these units, all enabled. A key is the name of a unit without ``.service``."""
    return Systemd(
        root or Root(), [Unit(f"{name.replace('_', '-')}.service", text, True, False) for name, text in units.items()]
    )


def reason(manager: Systemd, unit: str) -> str:
    with pytest.raises(NotStarted) as caught:
        manager.start(unit)
    return str(caught.value)


def test_wanted_units_and_what_they_pull_in() -> None:
    units = {
        "a": "[Unit]\nRequires=b.service\n" + SERVICE + INSTALL,
        "b": SERVICE,
        "c": SERVICE + "[Install]\nWantedBy=b.service\n",
        "d": SERVICE + "[Install]\nWantedBy=x.target\n",
    }
    manager = systemd(**units)
    assert manager.wanted == {"a.service", "b.service", "c.service"}
    assert "nothing pulls it in" in reason(manager, "d.service")


def test_a_masked_unit_is_not_there() -> None:
    assert "not found" in reason(Systemd(Root(), [Unit("a.service", SERVICE + INSTALL, True, True)]), "a.service")


def test_environment() -> None:
    root = Root()
    root.write("/etc/one.env", "A=1\nB=1\n")
    text = (
        '[Service]\nEnvironment=C=3 "D=four words"\nEnvironmentFile=/etc/one.env\nEnvironmentFile=-/etc/none.env\n'
        "ExecStart=/usr/bin/true\n"
    )
    assert systemd(root, a=text + INSTALL).start("a.service") == {"A": "1", "B": "1", "C": "3", "D": "four words"}


FAILURES: list[tuple[str, str]] = [
    (
        "[Service]\nEnvironmentFile=/etc/none.env\nExecStart=/usr/bin/true\n",
        "Failed to load environment files: /etc/none.env",
    ),
    ("[Service]\nExecStart=/usr/local/bin/none.sh\n", "Failed to locate executable /usr/local/bin/none.sh"),
    ("[Service]\nExecStartPre=/usr/local/bin/none.sh\nExecStart=/usr/bin/true\n", "Failed to locate executable"),
    ("[Service]\nExecStart=/bin/bash /usr/local/bin/none.sh\n", "Failed to locate executable /usr/local/bin/none.sh"),
    ("[Service]\nExecStart=/bin/bash -c 'until\n", "cannot parse"),
    ("[Service]\nExecStart=none.sh\n", "Failed to locate executable none.sh"),
    ("[Service]\nType=oneshot\n", "no ExecStart= setting"),
    ("[Unit]\nConditionPathExists=/etc/none\n" + SERVICE, "condition check"),
    ("[Unit]\nConditionPathExists=!/etc/chrony.conf\n" + SERVICE, "condition check"),
    ("[Unit]\nRequires=none.service\n" + SERVICE, "Dependency failed: Unit none.service not found"),
]


@pytest.mark.parametrize(("text", "expected"), FAILURES)
def test_units_that_do_not_start(text: str, expected: str) -> None:
    assert expected in reason(systemd(a=text + INSTALL), "a.service")


def test_tolerated_failures_and_inline_shell() -> None:
    text = (
        "[Service]\nExecStartPre=-/usr/local/bin/none.sh\nExecStart=/bin/bash -c 'until podman run \\\n  x; do sleep "
        "1; done'\n"
    )
    assert systemd(a=text + INSTALL).start("a.service") == {}


def test_a_skipped_requirement_is_no_failure() -> None:
    skipped = "[Unit]\nConditionPathExists=/etc/none\n" + SERVICE
    assert systemd(a="[Unit]\nRequires=b.service\n" + SERVICE + INSTALL, b=skipped).start("a.service") == {}


def test_a_failed_requirement_is_one() -> None:
    failing = "[Service]\nExecStart=/usr/local/bin/none.sh\n"
    assert "Dependency failed" in reason(
        systemd(a="[Unit]\nRequires=b.service\n" + SERVICE + INSTALL, b=failing), "a.service"
    )


def test_containers_see_their_mounts() -> None:
    root = Root()
    root.write("/etc/one.env", "A='1'\nB=1\n")
    root.write("/etc/two.env", "B=2\n")
    text = (
        "[Service]\nExecStart=/usr/bin/podman run --env-file=/etc/one.env --env-file /etc/two.env --env=C --env=D=4 "
        "--volume=/h:/c:ro x\n"
    )
    container = systemd(root, a=text + INSTALL).container("a.service", {"C": "3", "E": "5"}, Container({}, {}))
    assert container == Container({"A": "'1'", "B": "2", "C": "3", "D": "4"}, {"/c": "/h"})
    documented = Container({"X": "1"}, {})
    assert (
        systemd(a="[Service]\nExecStart=/usr/local/bin/own.sh\n").container("a.service", {}, documented) is documented
    )


def test_a_missing_env_file_of_a_container() -> None:
    manager = systemd(a="[Service]\nExecStart=/usr/bin/podman run --env-file=/etc/none.env x\n" + INSTALL)
    with pytest.raises(NotStarted, match=r"open /etc/none\.env"):
        manager.container("a.service", {}, Container({}, {}))
