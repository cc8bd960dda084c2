# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the safety table: what a run may do to a machine, depending on what is known about that machine.

Data only; :func:`.decision.may_touch` and docs/reference/safety.md use it. The first row whose observation holds is the
row of the host. A row has a cell for each column; an action may have a separate cell in a row.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Literal

from ...boot.methods import POWER_DATA
from .evidence import Evidence

# What a playbook does with a host. supply: boot a machine for a pool that needs one more; replace_in: the same for a
# host that is exchanged, which is replace_out; recover: what a wait does by itself (detach, repair); on and off: switch
# power, and nothing else.
Action = Literal[
    "boot", "supply", "replace_in", "remove", "reprovision", "shrink", "replace_out", "destroy", "recover", "on", "off"
]
Column = Literal["boot", "take_out", "destroy", "recover", "on", "off"]
# act: may be done; skip: nothing must be done; wait; stop: the whole run ends before the first write; spare: another
# machine is used; leave: the host is left alone and named, the run continues with the other hosts; fail: the same, and
# the run fails at its end; through: only through its BareMetalHost; eject: the image may be detached, power stays.
Outcome = Literal["act", "skip", "wait", "stop", "spare", "leave", "fail", "through", "eject"]

COLUMNS: Mapping[Action, Column] = {
    "boot": "boot",
    "supply": "boot",
    "replace_in": "boot",
    "remove": "take_out",
    "reprovision": "take_out",
    "shrink": "take_out",
    "replace_out": "take_out",
    "destroy": "destroy",
    "recover": "recover",
    "on": "on",
    "off": "off",
}

START_OVER, TAKE_OVER = "start_over", "take_over"
ABANDON_HUB, ABANDON_HOSTS = "abandon_hub", "abandon_hosts"
REBOOT_JOINED, REBUILD_IMAGE, BREAK_LOCK = "reboot_joined_hosts", "rebuild_image", "break_lock"
OVERRIDES = (REBUILD_IMAGE, REBOOT_JOINED, START_OVER, TAKE_OVER, ABANDON_HUB, ABANDON_HOSTS, BREAK_LOCK)
CONFIRMED_OVERRIDES = frozenset({REBOOT_JOINED, START_OVER, ABANDON_HUB, ABANDON_HOSTS})
# Methods whose service, or whose hosts, hold no cluster that others depend on: a hub does, and it is the hub that has
# to release the hosts.
HUB_METHODS = frozenset({"hub", "hosted", "capi"})
_OWN_METHODS = frozenset({"agent", "assisted"})


@dataclasses.dataclass(frozen=True)
class Lift:
    """A value of ``openshift_force`` that changes the cell to ``outcome``; with ``confirm`` only together with
    ``openshift_confirm``.
    """

    force: str
    confirm: bool = True
    methods: frozenset[str] = frozenset()
    outcome: Outcome = "act"

    def applies_to(self, method: str) -> bool:
        return not self.methods or method in self.methods


@dataclasses.dataclass(frozen=True)
class Cell:
    """``confirm``: ``act`` needs ``openshift_confirm``.

    ``remedy`` is what the user can do, with ``{cluster}`` and the like; ``note`` is for the docs.
    """

    outcome: Outcome
    confirm: bool = False
    lifts: tuple[Lift, ...] = ()
    remedy: str = ""
    note: str = ""


@dataclasses.dataclass(frozen=True)
class Row:
    """``observed`` is the title; ``of`` gives the text of the observation, empty when it does not hold."""

    number: str
    observed: str
    of: Callable[[Evidence], str]
    cells: Mapping[str, Cell]

    def cell(self, action: Action, method: str = "agent") -> Cell:
        """The cell of an action; ``cells`` may have one for hubs alone (``destroy:hub``)."""
        keys: list[str] = [action, *(["supply"] if action == "replace_in" else []), COLUMNS[action]]
        if method in HUB_METHODS:
            keys = [f"{key}:hub" for key in keys] + keys
        return next(self.cells[key] for key in keys if key in self.cells)


_ACT, _SKIP, _WAIT, _NO = Cell("act"), Cell("skip"), Cell("wait"), Cell("skip", note="no")
_CONFIRMED = Cell("act", confirm=True)
_START_OVER = Lift(START_OVER)
_DESTROY = "Destroy the cluster first: destroy_cluster -e openshift_confirm={cluster}."
_AGAIN = "Correct the cause, or wait until the API, service or hub answers. Then run again."
_LOST_MEMBER = (
    _AGAIN
    + " Check that openshift_hub leads to the hub of this cluster. If the cluster no longer exists: destroy_cluster "
    "-e openshift_confirm={cluster}, and then run again."
)
_TAKE_OVER = (
    "If nothing on these machines is needed, run again with -e openshift_force=take_over, or set "
    "openshift_host.boot.take_over: true for these hosts. "
    "This destroys what is on their disks."
)
_OTHER_HUB = (
    "Check openshift_hub and KUBECONFIG: another hub can have a cluster of the same name. If it is the cluster of this "
    "deployment, add its machines to this inventory, or delete it from the hub manually. Then run again."
)
_RELEASE = "Release the host there first, or remove it from this inventory."
_MISSING = Cell(
    "stop",
    lifts=(Lift(ABANDON_HOSTS, outcome="leave"),),
    remedy=(
        "Add these hosts to the groups of the cluster in the inventory, and run again. To leave their machines as they "
        "are, and delete the record of them: -e openshift_force=abandon_hosts -e openshift_confirm={cluster}."
    ),
)
_STATE_OF_METHOD = (
    "Restore the work directory of the deployment that installed these machines, and run the playbook with it."
)


def _on(text: Callable[[Evidence], str]) -> Callable[[Evidence], str]:
    return lambda evidence: text(evidence) if evidence.on else ""


def _no_record(evidence: Evidence) -> str:
    if evidence.elsewhere:
        return evidence.elsewhere
    return "it reports power " + (evidence.power or "neither On nor Off") + ", and no record says what runs on it"


_TAKE_OVER_CELL = Cell("stop", lifts=(Lift(TAKE_OVER, confirm=False),), remedy=_TAKE_OVER)

# A cluster that answers, and of which nothing is recorded.
_ANSWERING: Mapping[str, Cell] = {
    "boot": Cell(
        "stop",
        lifts=(_START_OVER,),
        remedy="If that cluster is this one, restore its work directory ({work_dir}). "
        "To install over it: -e openshift_force=start_over -e openshift_confirm={cluster}. That cluster is lost then.",
    ),
    "supply": Cell("stop", remedy=_RELEASE),
    "take_out": Cell(
        "stop",
        remedy=(
            "If that cluster is this one, restore its work directory ({work_dir}) with auth/kubeconfig, and run again."
        ),
    ),
    "destroy": Cell(
        "stop",
        remedy=(
            "If that cluster is this one, restore its work directory ({work_dir}) with auth/kubeconfig, and run again."
        ),
    ),
    "recover": _NO,
    "on": Cell("stop", remedy=_RELEASE),
    "off": Cell("stop", remedy=_RELEASE),
}

_UNKNOWN: Mapping[str, Cell] = {
    "boot": Cell(
        "stop",
        lifts=(Lift(START_OVER, methods=_OWN_METHODS),),
        remedy=_AGAIN
        + (
            " To abandon what is installed on these hosts: -e openshift_force=start_over -e "
            "openshift_confirm={cluster}."
        ),
    ),
    "boot:hub": Cell("stop", remedy=_LOST_MEMBER),
    "supply": Cell("stop", remedy=_AGAIN),
    "take_out": Cell("stop", remedy=_AGAIN),
    "recover": Cell("wait", note="waits within the silence limit"),
    "on": Cell("stop", remedy=_AGAIN),
    "off": Cell("stop", remedy=_AGAIN),
}

# A machine of another owner.
_OF_OTHERS: Mapping[str, Cell] = {
    # Inventories share spare machines, and runs for their pools go on at the same time.
    "supply": Cell("spare"),
    **dict.fromkeys(("boot", "take_out", "on", "off"), Cell("stop", remedy=_RELEASE)),
    "destroy": Cell("leave", confirm=True),
    "recover": _NO,
}

# A machine of this deployment on which no cluster runs.
_OURS: Mapping[str, Cell] = {
    "take_out": _CONFIRMED,
    "destroy": _CONFIRMED,
    "recover": _NO,
    "on": _ACT,
    "off": _CONFIRMED,
}

# A member of an installation that is under way.
_INSTALLING: Mapping[str, Cell] = {
    "boot": Cell("wait", lifts=(Lift(REBOOT_JOINED), _START_OVER)),
    "supply": _WAIT,
    "take_out": Cell(
        "stop",
        remedy=(
            "Wait until it is installed, or cancel the installation: destroy_cluster -e openshift_confirm={cluster}."
        ),
    ),
    "destroy": Cell("act", confirm=True, note="cancels the installation"),
    "recover": Cell(
        "act", note=("detach; power cycle only for pending-user-action or without a Node at its limit, counted")
    ),
    "on": _WAIT,
    "off": Cell(
        "stop",
        remedy=(
            "Wait until it is installed, or cancel the installation: destroy_cluster -e openshift_confirm={cluster}."
        ),
    ),
}

ROWS: tuple[Row, ...] = (
    Row(
        "1",
        "the BMC or hypervisor is unreachable or refuses the login, the MAC addresses differ, or two hosts have the "
        "same machine",
        lambda evidence: evidence.bmc_fault,
        {
            "boot": Cell(
                "stop",
                remedy=(f"Correct {POWER_DATA} of these hosts, or make sure that it can be reached. Then run again."),
            ),
            "supply": Cell("spare"),
            "take_out": Cell(
                "fail", confirm=True, note=("the host is removed from the cluster; its power state is unknown")
            ),
            "destroy": Cell("fail", confirm=True, note="the other hosts are processed"),
            "recover": _NO,
            "on": Cell("stop", remedy=f"Correct {POWER_DATA} of these hosts. Then run again."),
            "off": Cell("fail", note="the other hosts are processed"),
        },
    ),
    Row(
        "2",
        "a BareMetalHost of another owner has this BMC address or MAC address",
        lambda evidence: evidence.foreign_bare_metal_host,
        {
            "boot": Cell("stop", remedy="The owner of the BareMetalHost boots this machine. " + _RELEASE),
            "take_out": Cell("stop", remedy="The owner of the BareMetalHost boots this machine. " + _RELEASE),
            "destroy": Cell("leave", confirm=True),
            "recover": _NO,
            "on": Cell("stop", remedy=_RELEASE),
            "off": Cell("stop", remedy=_RELEASE),
        },
    ),
    Row(
        "3",
        "belongs to another cluster (bound Agent, service host, Machine, state, Node)",
        lambda evidence: evidence.other_cluster,
        _OF_OTHERS,
    ),
    Row(
        "3a",
        "booted or taken over by this deployment (in the state), not released, and missing in the inventory as a host "
        "of the cluster (methods agent, assisted, hub; hosted and capi only with `abandon_hub`)",
        lambda evidence: evidence.missing,
        # Found only for a run that destroys: it would leave the machine on, and delete the only record of it.
        {
            **dict.fromkeys(("boot", "take_out", "on", "off"), Cell("stop", remedy=_MISSING.remedy)),
            "destroy": _MISSING,
            "recover": _NO,
        },
    ),
    Row(
        "2a",
        "a BareMetalHost of this deployment or of this cluster has the machine",
        lambda evidence: evidence.own_bare_metal_host,
        {
            "boot": Cell("through", remedy="Boot it through its BareMetalHost (openshift_hub.bare_metal_hosts: true)."),
            "take_out": Cell(
                "through",
                confirm=True,
                remedy=("Remove it through its BareMetalHost (openshift_hub.bare_metal_hosts: true)."),
            ),
            "destroy": Cell(
                "through",
                confirm=True,
                remedy=("Power it off through its BareMetalHost (openshift_hub.bare_metal_hosts: true)."),
            ),
            "recover": Cell("skip", note="through it"),
            "on": Cell("stop", remedy="Set spec.online of its BareMetalHost instead."),
            "off": Cell("stop", remedy="Set spec.online of its BareMetalHost instead."),
        },
    ),
    Row(
        "4",
        "recorded with another installation method",
        lambda evidence: evidence.other_method,
        {
            "boot": Cell(
                "stop",
                remedy="Destroy the deployment with that method first: "
                "destroy_cluster -e openshift_install_method={other_method} -e openshift_confirm={cluster}.",
            ),
            "take_out": Cell("stop", remedy="Use that method: -e openshift_install_method={other_method}."),
            "destroy": Cell(
                "stop",
                remedy=(
                    "Destroy the deployment with that method: destroy_cluster -e "
                    "openshift_install_method={other_method} -e openshift_confirm={cluster}."
                ),
            ),
            "recover": _NO,
            "on": Cell("stop", remedy="Use that method: -e openshift_install_method={other_method}."),
            "off": Cell("stop", remedy="Use that method: -e openshift_install_method={other_method}."),
        },
    ),
    Row(
        "4a",
        "no host: the cluster that would be deleted from the hub is not proven to be the one of this deployment (by "
        "its UID, or by its Agents and BareMetalHosts)",
        lambda evidence: evidence.other_deployment,
        {
            **dict.fromkeys(("boot", "take_out", "destroy", "on", "off"), Cell("stop", remedy=_OTHER_HUB)),
            "recover": _NO,
        },
    ),
    Row(
        "5",
        "this installation failed, and the host is no Node",
        lambda evidence: evidence.failed if evidence.node is None else "",
        {
            "boot": Cell(
                "stop",
                lifts=(_START_OVER,),
                remedy="Correct the cause. Then either run destroy_cluster -e openshift_confirm={cluster} and "
                "deploy_cluster, or run deploy_cluster -e openshift_force=start_over -e openshift_confirm={cluster}.",
            ),
            # The operators of a hub do not install a cluster again: it is made again.
            "boot:hub": Cell(
                "stop",
                remedy=(
                    "Correct the cause. Then run destroy_cluster -e openshift_confirm={cluster}, and deploy_cluster."
                ),
            ),
            "take_out": Cell("stop", remedy=_DESTROY),
            "destroy": Cell("act", confirm=True, note="API and service need not answer"),
            "recover": _NO,
            "on": _ACT,
            "off": _CONFIRMED,
        },
    ),
    Row(
        "6",
        "the record of this deployment, or the API or service that it names, cannot be read; the host is recorded",
        lambda evidence: evidence.unknown if evidence.recorded else "",
        {
            **_UNKNOWN,
            "destroy": Cell("act", confirm=True, note="API and service need not answer"),
            "destroy:hub": Cell(
                "stop",
                lifts=(Lift(ABANDON_HUB),),
                remedy=_AGAIN
                + (
                    " To power the machines off and leave their objects on the hub: -e openshift_force=abandon_hub -e "
                    "openshift_confirm={cluster}."
                ),
            ),
        },
    ),
    Row(
        "6",
        "the same; the host is not recorded",
        lambda evidence: evidence.unknown,
        {
            **_UNKNOWN,
            "destroy": Cell("leave", confirm=True),
            # The machines of the deployment are given up with the hub; one that is not recorded is none of them.
            "destroy:hub": Cell("stop", lifts=(Lift(ABANDON_HUB, outcome="leave"),), remedy=_AGAIN),
        },
    ),
    Row(
        "7",
        "installed member of this cluster (Node, installed Agent or service host)",
        lambda evidence: evidence.installed,
        {
            "boot": Cell(
                "skip",
                lifts=(Lift(REBOOT_JOINED), _START_OVER),
                remedy=("Add -e openshift_confirm={cluster} if it must be booted from the image again."),
            ),
            "supply": _SKIP,
            "take_out": Cell("act", confirm=True, note="drained if Ready; NotReady for 5 min: no drain"),
            "destroy": Cell("act", confirm=True, note="no drain; hosted: pools are emptied first"),
            "recover": Cell("eject"),
            "on": _ACT,
            "off": _CONFIRMED,
        },
    ),
    Row(
        "7b",
        "no Node long after bootstrap, the service has ended, and its BMC reports power On with the image attached",
        lambda evidence: evidence.strayed,
        {
            **_INSTALLING,
            "recover": Cell("act", note=("detach and power cycle, once for an installation, counted in the state")),
        },
    ),
    Row("7a", "being installed", lambda evidence: evidence.installing or evidence.silent, _INSTALLING),
    Row(
        "8",
        "runs the image of this deployment, is registered, was connected within the last 3 minutes, is not being "
        "installed",
        lambda evidence: evidence.registered,
        {
            **_OURS,
            "boot": Cell("wait", lifts=(Lift(REBUILD_IMAGE, confirm=False), _START_OVER)),
            "supply": _WAIT,
            "take_out": Cell("act", confirm=True, note="no drain"),
        },
    ),
    Row(
        "9",
        "free Agent of the configured InfraEnv, connected",
        lambda evidence: evidence.free,
        {
            **_OURS,
            "boot": Cell("skip", lifts=(_START_OVER,), note="used, no boot"),
            "supply": Cell("skip", note="used, no boot"),
            "reprovision": Cell("skip", note="free already"),
            "destroy": Cell("act", confirm=True, note="power off (hosted: stays on, free)"),
        },
    ),
    Row(
        "9a",
        "unbinding-pending-user-action, or released in the state",
        lambda evidence: evidence.released,
        {
            **_OURS,
            "boot": _ACT,
            "reprovision": Cell("act", confirm=True, note="boot"),
        },
    ),
    Row(
        "12",
        "Agent disconnected, unbound or without a recorded boot, and a cluster answers at an address of the host",
        lambda evidence: evidence.answering if evidence.disconnected else "",
        _ANSWERING,
    ),
    Row(
        "10",
        "Agent disconnected, unbound or without a recorded boot; machine on",
        # A boot of this deployment that was not completed goes on (row 11).
        _on(lambda evidence: "" if evidence.booted and evidence.due else evidence.disconnected),
        {
            **_OURS,
            "boot": _TAKE_OVER_CELL,
        },
    ),
    Row(
        "10",
        "the same; machine off",
        lambda evidence: "" if evidence.booted and evidence.due else evidence.disconnected,
        {
            **_OURS,
            "boot": _ACT,
        },
    ),
    Row(
        "11",
        "booted or taken over by this deployment (in the state), not registered",
        lambda evidence: evidence.booted,
        {
            **_OURS,
            "boot": Cell(
                "act",
                note=(
                    "booted again if it did not register within the limit, its boot was not completed, the image has "
                    "changed, or it did not read the image within the grace period"
                ),
            ),
        },
    ),
    Row(
        "12",
        "no record, but a cluster answers at this API, service or host address",
        lambda evidence: evidence.answering,
        _ANSWERING,
    ),
    Row(
        "13",
        "no record, machine on",
        _on(_no_record),
        {
            "boot": _TAKE_OVER_CELL,
            "take_out": Cell("stop", remedy=_STATE_OF_METHOD),
            "destroy": Cell("leave", confirm=True),
            "recover": _NO,
            "on": _SKIP,
            "off": Cell(
                "stop",
                lifts=(Lift(TAKE_OVER, confirm=False),),
                remedy=("If nothing on these machines is needed, run again with take_over."),
            ),
        },
    ),
    Row(
        "14",
        "no record of the host (the state was read and does not contain it), machine off",
        lambda evidence: "no record contains it" + ("" if evidence.manual else ", and it is off"),
        {
            "boot": _ACT,
            "take_out": Cell("stop", remedy=_STATE_OF_METHOD),
            "destroy": Cell("skip", confirm=True),
            "recover": _NO,
            "on": _ACT,
            "off": _SKIP,
        },
    ),
)
