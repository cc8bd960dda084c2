# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the decisions of module assisted_deployment (method assisted) with plain data: which hosts are booted, when the
installation begins, and what is removed.
"""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.hosts.request import (
    ServiceHostRequest,
    host_requests,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.progress import (
    read_cluster,
    read_host,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.faults import AssistedError
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variables import read_variables
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    PartialFailure,
    Unreachable,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import Response
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.resume import Decision
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.desired import (
    REGISTRIES,
    live_system,
    read_desired_deployment,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.find import Found, Known, find
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.join import JoinWait, plan_join
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.objects import plan_absent
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.resume import (
    decide_additions,
    decide_installation,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.upkeep import (
    Upkeep,
    plan_hosts,
    plan_upkeep,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.stop_reason import message_of
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.observation import (
    ApiView,
    InventoryHost,
    Node,
    Observation,
    ServiceView,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.setup import Limits

PULL_SECRET = json.dumps({"auths": {"quay.io": {"auth": "bGFiOm5vdC1hLXJlYWwtcGFzc3dvcmQ="}}})
ONE = InventoryHost("one", "one", ("52:54:00:00:00:01",), "master")


def host(number: int = 1, status: str = "known", **more: Any) -> dict[str, Any]:
    name = ["", "one", "two"][number]
    addresses = {"ipv4_addresses": [f"192.0.2.2{number}/24"], "ipv6_addresses": [f"2001:db8::2{number}/64"]}
    inventory = {
        "interfaces": [{"mac_address": f"52:54:00:00:00:0{number}", **addresses}],
        "disks": [{"id": "/dev/sda", "name": "sda"}],
    }
    document = {
        "id": f"id-{number}",
        "infra_env_id": "infra",
        "cluster_id": "cluster",
        "status": status,
        "inventory": inventory,
        "role": "master",
    }
    return {**document, "suggested_role": "master", "requested_hostname": name, **more}


def cluster(status: str) -> dict[str, Any]:
    return {"id": "cluster", "name": "edge", "status": status}


def requests(*numbers: int) -> list[ServiceHostRequest]:
    return host_requests(
        [{"name": ["", "one", "two"][number], "mac_addresses": [f"52:54:00:00:00:0{number}"]} for number in numbers]
    )


def seen(status: str = "", *hosts: dict[str, Any], nodes: tuple[str, ...] | None = None, **more: Any) -> Observation:
    api = ApiView() if nodes is None else ApiView(answers=True, ours=True, nodes=tuple(Node(name) for name in nodes))
    service = (
        ServiceView(True, True, "", read_cluster(cluster(status)), tuple(map(read_host, hosts)))
        if status
        else ServiceView()
    )
    return Observation(service=service, api=api, **more)


def installation(
    view: Observation, known: Known | None = None, force: tuple[str, ...] = (), foreign: str = ""
) -> Decision:
    document = cluster(view.service.cluster.status) if view.service.cluster else None
    return decide_installation(view, Found(document, foreign=foreign), known or Known(), [ONE], force)


@pytest.mark.parametrize(
    ("view", "action", "force", "words"),
    [
        (seen(), "boot", False, "no host is registered"),
        (seen("insufficient"), "boot", False, "not registered"),
        (seen("insufficient", overdue=True), "boot", True, "not registered"),
        (seen("insufficient", host(status="insufficient")), "wait", False, "registered"),
        (seen("insufficient", host(status="disconnected")), "boot", True, "disconnected"),
        (seen("installing", host(status="installing-in-progress")), "skip", False, "joined"),
        (seen("installing"), "skip", False, "was started without this host"),
        (seen("a state of tomorrow", host(status="a state of tomorrow")), "wait", False, "registered"),
        (seen("installed", host(status="installed")), "skip", False, "installed"),
        (seen("adding-hosts"), "skip", False, "adding-hosts"),
    ],
)
def test_who_is_booted(view: Observation, action: str, force: bool, words: str) -> None:
    decision = installation(view)
    assert (message_of(decision.stop), decision.hosts[0].action, decision.hosts[0].force) == ("", action, force)
    assert words in decision.hosts[0].reason


def test_nothing_is_booted_where_it_could_do_harm() -> None:
    made = Known(cluster_id="cluster")
    assert "not made from" not in message_of(installation(seen("error", host(status="error"))).stop)
    assert installation(seen("error", host(status="error", status_info="disk broke"))).state == "failed"
    assert message_of(installation(seen("installing"), foreign="There is another.").stop).startswith(
        "There is another. Set openshift_assisted.cluster_id"
    )
    assert installation(seen(phase="installing"), made).state == "unknown"
    assert installation(seen(phase="installed", nodes=("one",)), made).state == "installed"


def test_a_cluster_that_was_deleted_is_created_again() -> None:
    """Its machines may still run the image of an InfraEnv that is gone."""
    decision = installation(seen(phase="booted"), Known(cluster_id="gone"))
    assert (decision.hosts[0].action, decision.hosts[0].force) == ("boot", True) and "created again" in decision.notes[
        0
    ]


def test_start_over_boots_all_hosts() -> None:
    decision = installation(seen("installed", host(status="installed")), force=("start_over",))
    assert (decision.hosts[0].action, decision.hosts[0].force) == ("boot", True)


@pytest.mark.parametrize(
    ("view", "action", "words"),
    [
        (seen("installed", nodes=("one",)), "skip", "Node"),
        (seen("installed", nodes=()), "boot", "not registered"),
        (seen("adding-hosts", host(status="insufficient")), "wait", "registered"),
        (seen("adding-hosts", host(status="added-to-existing-cluster"), nodes=()), "wait", "joined"),
        (seen("adding-hosts", host(status="disconnected"), nodes=()), "boot", "disconnected"),
        (seen("installed"), "boot", "not registered"),
        (seen("installing", nodes=()), "stop", "hosts are added to one that is installed"),
    ],
)
def test_who_is_added(view: Observation, action: str, words: str) -> None:
    assert view.service.cluster is not None
    decision = decide_additions(view, Found(cluster(view.service.cluster.status)), Known(), "edge", [ONE])
    reported = ("stop", str(decision.stop)) if decision.stop else (decision.hosts[0].action, decision.hosts[0].reason)
    assert reported[0] == action and words in reported[1]


def test_hosts_are_added_to_nothing_that_are_unknown() -> None:
    assert "Hosts cannot be added to cluster edge" in message_of(
        decide_additions(seen(), Found(), Known(), "edge", [ONE]).stop
    )
    assert not decide_additions(seen(nodes=()), Found(), Known(), "edge", [ONE]).stop


@pytest.mark.parametrize(
    ("status", "hosts", "wanted", "words"),
    [
        ("ready", [host()], (1,), ""),
        ("ready", [host()], (1, 2), "two: no host has"),
        ("ready", [host(), host(2)], (1,), "two is registered but not in the configuration"),
        ("insufficient", [host(status="insufficient")], (1,), "one is insufficient"),
        ("ready", [host(status="insufficient")], (1,), "one is insufficient"),
        ("installing", [host()], (1,), "the cluster is installing"),
        ("preparing-for-installation", [host()], (1,), "preparing"),
    ],
)
def test_it_begins_with_exactly_the_hosts_that_were_asked_for(
    status: str, hosts: list[dict[str, Any]], wanted: tuple[int, ...], words: str
) -> None:
    plan = plan_upkeep(cluster(status), hosts, requests(*wanted))
    assert (plan.start, words in plan.waits) == (not words, True)


def test_hosts_reach_the_desired_state_before_it_begins() -> None:
    wanted = host_requests([{"name": "one", "mac_addresses": ["52:54:00:00:00:01"], "hostname": "first"}])
    plan = plan_upkeep(cluster("ready"), [host()], wanted)
    assert not plan.start and [change.body for each in plan.hosts for change in each.changes] == [
        {"host_name": "first"}
    ]
    wanted = host_requests(
        [{"name": "one", "mac_addresses": ["52:54:00:00:00:01"], "root_device_hints": {"deviceName": "/dev/vdz"}}]
    )
    plan = plan_upkeep(cluster("ready"), [host()], wanted)
    assert not plan.start and "no disk fits" in plan.refused[0]


def test_only_ready_hosts_of_ours_are_reported_to_install() -> None:
    hosts = [host(), host(2)]
    assert [each["id"] for each in plan_join(plan_hosts(requests(1), hosts, "cluster")).install] == ["id-1"]
    assert plan_join(plan_hosts(requests(1), [host(status="added-to-existing-cluster")], "cluster")).done
    failed = plan_join(plan_hosts(requests(1), [host(status="error", status_info="disk broke")], "cluster")).failed
    assert failed == {"one": "it is error: disk broke"}
    waits = plan_join(plan_hosts(requests(1, 2), [host(status="installing-in-progress")], "cluster")).waits
    assert "installing-in-progress" in waits["one"] and "no host has" in waits["two"]


class Coming:
    """A service with one host, which shows ``looks`` one after the other, is away in between, and loses its answer to
    the first request.
    """

    def __init__(self, *looks: dict[str, Any] | ZeroTouchError) -> None:
        self.looks, self.asked = list(looks), 0

    def cluster_hosts(self, _cluster_id: str) -> list[dict[str, Any]]:
        look = self.looks.pop(0)
        if isinstance(look, ZeroTouchError):
            raise look
        return [look]

    def host_action(self, *_which: str) -> dict[str, Any]:
        self.asked += 1
        if self.asked == 1:
            raise Unreachable("assisted-service: the connection broke.", "broken")
        return {}


def test_a_service_that_is_away_for_a_moment_does_not_end_the_wait() -> None:
    away = AssistedError("assisted-service", Response(503, {}, b""))
    service = Coming(host(), away, host(), host(status="installing"), host(status="added-to-existing-cluster"))
    lines: list[str] = []
    call = SimpleNamespace(
        clock=SimpleNamespace(now=lambda: 0.0, sleep=lambda seconds: None), progress=lines.append, warn=lines.append
    )
    session = SimpleNamespace(
        call=call,
        service=service,
        name="edge",
        found=Found(cluster("adding-hosts")),
        desired=SimpleNamespace(hosts=requests(1)),
    )
    result = JoinWait(session, Limits()).run()  # type: ignore[arg-type]
    assert (service.asked, result["plan"], result["joined"][0]["status"]) == (
        2,
        ["install host one"],
        "added-to-existing-cluster",
    )
    assert result["nodes"] == [{"name": "one", "addresses": ["192.0.2.21", "2001:db8::21"]}]
    assert any("the connection broke" in line for line in lines) and any("503" in line for line in lines)


def test_what_is_taken_away() -> None:
    found = Found(cluster("installing"), {"id": "infra", "name": "edge"})
    lines = [change.text() for change in plan_absent(found, [host(), host(2, cluster_id="")])]
    assert lines == [
        "cancel cluster edge (it is installing)",
        "delete cluster edge",
        "delete host two",
        "delete infra-env edge",
    ]
    assert plan_absent(Found(), []) == []


def deployment(**more: Any) -> Any:
    described = {
        "name": "edge",
        "base_domain": "example.com",
        "version": "4.22.0",
        "platform": "none",
        "pull_secret": PULL_SECRET,
        "machine_networks": ["192.168.113.0/24"],
        "ssh_public_keys": ["ssh-ed25519 AAAA"],
        **more,
    }
    hosts = [
        {
            "inventory_name": "one",
            "role": "master",
            "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}],
        }
    ]
    return read_variables(described, hosts).deployment


def test_a_description_becomes_desired_objects() -> None:
    manifest = {"name": "note.yaml", "content": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "note"}}}
    desired = read_desired_deployment(
        deployment(fips=True, extra_manifests=[manifest]),
        {"kernel_arguments": [{"operation": "append", "value": "a=b"}]},
        {},
    )
    assert (
        desired.cluster.name,
        desired.cluster.params["openshift_version"],
        desired.cluster.params["base_dns_domain"],
    ) == ("edge", "4.22.0", "example.com")
    assert json.loads(desired.cluster.overrides or "{}")["fips"] is True
    assert [(each.folder, each.name) for each in desired.cluster.manifests] == [("openshift", "note-0.yaml")]
    assert desired.infra_env.params["kernel_arguments"] == [{"operation": "append", "value": "a=b"}]
    assert [(each.name, each.hostname, each.role) for each in desired.hosts] == [("one", "one", "master")]


def test_live_kernel_arguments_are_those_of_the_infra_env_unless_its_options_say_otherwise() -> None:
    described = deployment(live_kernel_arguments=["a=b", "quiet"])
    appended = [{"operation": "append", "value": "a=b"}, {"operation": "append", "value": "quiet"}]
    assert read_desired_deployment(described).infra_env.params["kernel_arguments"] == appended
    other = [{"operation": "append", "value": "c=d"}]
    assert read_desired_deployment(described, {"kernel_arguments": other}).infra_env.params["kernel_arguments"] == other
    assert "kernel_arguments" not in read_desired_deployment(deployment()).infra_env.params


@pytest.mark.parametrize(
    ("by", "key"),
    [
        ({"hostName": "one"}, {}),
        ({"hostName": "ONE"}, {}),
        ({"macAddress": "52-54-00-00-00-01"}, {"mac_address": "52:54:00:00:00:01"}),
        ({"hostName": "other"}, None),
    ],
)
def test_access_for_fencing_goes_to_the_host_that_it_is_of(by: dict[str, str], key: dict[str, str] | None) -> None:
    """The client inside an agent ISO reads them from files beside the manifests."""
    credential = {
        **by,
        "address": "redfish+https://10.0.0.1/redfish/v1/Systems/1",
        "username": "admin",
        "password": "s3cret",
        "certificateVerification": "Disabled",
    }
    desired = read_desired_deployment(deployment(control_plane={"fencing": {"credentials": [credential]}}))
    body = {
        "address": credential["address"],
        "username": "admin",
        "password": "s3cret",
        "certificate_verification": "Disabled",
    }
    assert desired.hosts[0].fencing == (None if key is None else body | key)
    assert key is None or "s3cret" in desired.secrets


def test_mirrors_and_authority_reach_live_system_and_cluster() -> None:
    """The service of an agent ISO reads them from files; this service is another one."""
    spec = deployment(
        image_digest_sources=[{"source": "quay.io/a", "mirrors": ["mirror.example.com:5000/a"]}],
        additional_trust_bundle="-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    )
    desired = read_desired_deployment(
        spec,
        {"ignition_config_override": {"ignition": {"version": "3.1.0"}, "storage": {"files": [{"path": "/etc/own"}]}}},
    )
    overrides = json.loads(desired.cluster.overrides or "{}")
    assert overrides["imageDigestSources"] == [{"source": "quay.io/a", "mirrors": ["mirror.example.com:5000/a"]}]
    assert overrides["additionalTrustBundle"].startswith("-----BEGIN") and desired.infra_env.params[
        "additional_trust_bundle"
    ].startswith("-----BEGIN")
    ignition = json.loads(desired.infra_env.params["ignition_config_override"])
    assert (ignition["ignition"]["version"], [file["path"] for file in ignition["storage"]["files"]]) == (
        "3.1.0",
        ["/etc/own", REGISTRIES],
    )
    assert live_system(deployment().cluster, "given") == "given"


class Holder:
    """A service that knows these clusters and InfraEnvs."""

    def __init__(self, clusters: list[dict[str, Any]], infra_envs: list[dict[str, Any]]) -> None:
        self._clusters, self._infra_envs = clusters, infra_envs

    def clusters(self) -> list[dict[str, Any]]:
        return self._clusters

    def cluster(self, cluster_id: str) -> dict[str, Any]:
        return next(item for item in self._clusters if item["id"] == cluster_id)

    def infra_envs(self) -> list[dict[str, Any]]:
        return self._infra_envs


OWN, OTHER = {"id": "own", "name": "edge", "status": "ready"}, {"id": "other", "name": "edge", "status": "installed"}
IMAGE, STRANGE = (
    {"id": "image", "name": "edge", "cluster_id": "own"},
    {"id": "strange", "name": "edge", "cluster_id": "other"},
)


@pytest.mark.parametrize(
    ("clusters", "known", "adopt", "found", "infra_env", "foreign"),
    [
        pytest.param([], Known(), "", "", "", False, id="nothing"),
        pytest.param([OTHER], Known(), "", "", "", True, id="another tool's"),
        pytest.param([OTHER, OWN], Known("own", "image"), "", "own", "image", False, id="by its id"),
        pytest.param([OTHER], Known("own", "image"), "", "", "image", False, id="ours is gone"),
        pytest.param(
            [OWN], Known(making=True), "", "own", "image", False, id="a run was killed before it could note the id"
        ),
        pytest.param([OTHER, OWN], Known(making=True), "", "", "", True, id="it is unknown which one it made"),
        pytest.param([OTHER], Known(), "other", "other", "strange", False, id="named by the user"),
        pytest.param(
            [OTHER], Known("own", "image"), "other", "other", "image", False, id="named by the user, since ours is gone"
        ),
        pytest.param(
            [OTHER, OWN],
            Known("own", "gone"),
            "",
            "own",
            "image",
            False,
            id="by its id, but the image was created again",
        ),
    ],
)
def test_which_cluster_is_ours(
    clusters: list[dict[str, Any]], known: Known, adopt: str, found: str, infra_env: str, foreign: bool
) -> None:
    seen_now = find(Holder(clusters, [STRANGE, IMAGE]), known, "edge", adopt)  # type: ignore[arg-type]
    assert (seen_now.cluster_id, seen_now.infra_env_id, bool(seen_now.foreign)) == (found, infra_env, foreign)
    assert seen_now.adopted is bool(adopt)


@pytest.mark.parametrize(
    ("known", "adopt", "words"),
    [
        (Known(), "gone", "no cluster with the id gone"),
        (Known("own"), "other", "cluster_id is other, but this work directory is that of cluster own"),
        (Known(), "strange", "Cluster strange is called far, and not edge"),
    ],
)
def test_a_cluster_that_the_user_names_has_to_be_the_one(known: Known, adopt: str, words: str) -> None:
    with pytest.raises(ZeroTouchError, match=words):
        find(Holder([OWN, OTHER, {"id": "strange", "name": "far"}], []), known, "edge", adopt)  # type: ignore[arg-type]


def test_a_cluster_that_was_imported_may_be_called_otherwise() -> None:
    imported = {"id": "strange", "name": "api.edge.example.com", "kind": "AddHostsCluster"}
    assert find(Holder([OWN, imported], []), Known(), "edge", "strange").adopted  # type: ignore[arg-type]


def test_what_another_client_made_stays_his_as_long_as_it_is_there() -> None:
    known = Known("own", "image", adopted=True)
    assert find(Holder([OWN], []), known, "edge", "own").adopted and find(Holder([OWN], []), known, "edge").adopted  # type: ignore[arg-type]
    assert not find(Holder([], []), known, "edge", "own").adopted  # type: ignore[arg-type]


class Starter:
    """A service that refuses the first ``refusals`` starts, and an observer that has seen ``document``."""

    def __init__(self, refusals: int = 0, **document: Any) -> None:
        self.refusals, self.asked = refusals, 0
        self.cluster, self.hosts = {**cluster("ready"), **document}, [host()]

    def cluster_action(self, _cluster_id: str, _action: str) -> None:
        self.asked += 1
        if self.asked <= self.refusals:
            raise AssistedError("assisted-service", Response(409, {}, b'{"reason": "cluster is being changed"}'))


def cared(starter: Starter, times: int) -> list[Any]:
    upkeep_plan = Upkeep(starter, starter, requests(1), lambda document: [])  # type: ignore[arg-type]
    return [upkeep_plan(seen("ready", host())) for _ in range(times)]


def test_a_refusal_to_begin_is_reported_when_it_stays() -> None:
    """Once is no news: another client may have been faster."""
    looks = cared(Starter(refusals=2), 3)
    assert [look.reports for look in looks[::2]] == [(), ()] and "cluster is being changed" in looks[1].reports[0]
    assert "Starting the installation" in looks[2].lines[0] and looks[2].changed


def test_what_cannot_be_prepared_is_begun_three_times() -> None:
    starter = Starter(**{"last-installation-preparation": {"status": "failed", "reason": "disk too slow"}})
    looks = cared(starter, 4)
    assert starter.asked == 3 and "again: disk too slow" in looks[1].lines[0]
    assert message_of(looks[3].stop) == "the installation could not be prepared 3 times: disk too slow"


def test_a_mistake_that_waiting_does_not_correct_ends_the_wait_once_all_hosts_are_there() -> None:
    starter = Starter()
    wanted = host_requests(
        [{"name": "one", "mac_addresses": ["52:54:00:00:00:01"], "root_device_hints": {"deviceName": "/dev/vdz"}}]
    )
    missing = host_requests([{"name": "two", "mac_addresses": ["52:54:00:00:00:02"]}])
    look = Upkeep(starter, starter, wanted, lambda document: [])(seen("ready", host()))  # type: ignore[arg-type]
    assert "one: no disk fits" in message_of(look.stop) and not starter.asked
    look = Upkeep(starter, starter, [*wanted, *missing], lambda document: [])(seen("ready", host()))  # type: ignore[arg-type]
    assert look.stop is None and "one: no disk fits" in look.reports[0]


class Refuser(Starter):
    """A service that takes no change of a host."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self.status = status

    def update_host(self, *_change: Any) -> None:
        raise AssistedError(
            "assisted-service", Response(self.status, {}, (b'{"reason": "Fencing credentials are not supported"}'))
        )


@pytest.mark.parametrize(("status", "ends"), [(400, True), (409, False), (503, False)])
def test_a_change_that_the_service_will_never_take_ends_the_wait(status: int, ends: bool) -> None:
    """Seen twice, with all hosts there; what may pass is waited for."""
    wanted = host_requests([{"name": "one", "mac_addresses": ["52:54:00:00:00:01"], "hostname": "first"}])
    refuser = Refuser(status)
    upkeep_plan = Upkeep(refuser, refuser, wanted, lambda document: [])  # type: ignore[arg-type]
    first, second = (upkeep_plan(seen("ready", host())) for _ in range(2))
    assert first.stop is None and "Fencing credentials are not supported" in first.reports[0]
    assert bool(second.stop) is ends and (
        not second.stop or "one: assisted-service answered 400: Fencing" in second.stop.text
    )


def test_a_host_that_joins_and_is_refused_ends_the_wait_too() -> None:
    service = Coming(*[host(status="insufficient")] * 3)
    service.update_host = Refuser(400).update_host  # type: ignore[attr-defined]
    call = SimpleNamespace(
        clock=SimpleNamespace(now=lambda: 0.0, sleep=lambda seconds: None),
        progress=lambda line: None,
        warn=lambda line: None,
    )
    wanted = host_requests([{"name": "one", "mac_addresses": ["52:54:00:00:00:01"], "hostname": "first"}])
    session = SimpleNamespace(
        call=call,
        service=service,
        name="edge",
        found=Found(cluster("adding-hosts")),
        desired=SimpleNamespace(hosts=wanted),
    )
    with pytest.raises(
        PartialFailure, match=("one: assisted-service answered 400: Fencing credentials are not supported")
    ):
        JoinWait(session, Limits()).run()  # type: ignore[arg-type]
    assert len(service.looks) == 1
