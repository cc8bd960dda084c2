# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test every module for an assisted-service through a gateway that injects faults: modules retry temporary faults,
report the others, and create nothing twice.
"""

from __future__ import annotations

import concurrent.futures
import importlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.cluster import run as cluster
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.cluster.desired import read_requested
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.infra_env import run as infra_env
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import connect
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.service import AssistedService
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args

from .assisted_lab import PULL_SECRET, Bench, scripted
from .ill_service import Gateway

CLUSTER = {
    "name": "demo",
    "base_dns_domain": "lab.example.com",
    "openshift_version": "4.22",
    "pull_secret": PULL_SECRET,
    "api_vips": ["192.0.2.5"],
    "ingress_vips": ["192.0.2.6"],
    "manifests": [{"file_name": "50-a.yaml", "content": "apiVersion: v1\nkind: ConfigMap\n"}],
    "install_config_overrides": {"fips": True},
    "ignored_validations": {"hosts": ["ntp-synced"]},
}
HOST = {"name": "m1", "mac_addresses": ["02:00:00:00:00:01"], "hostname": "m1", "node_labels": {"rack": "a"}}
# Options of each module once everything is in the desired state.
MODULES: dict[str, dict[str, Any]] = {
    "assisted_info": {"cluster_name": "demo", "events": 3},
    "assisted_cluster": CLUSTER,
    "assisted_infra_env": {"name": "demo", "cluster_name": "demo", "pull_secret": PULL_SECRET},
    "assisted_hosts": {"infra_env_name": "demo", "hosts": [HOST], "wait_for": "registered", "timeout": 60},
    "assisted_install": {"cluster_name": "demo", "state": "reset"},
    "assisted_files": {"cluster_name": "demo", "infra_env_name": "demo", "files": ["manifests", "discovery.ign"]},
    "assisted_manifests": {},
}
# Those of one row follow each other at each request.
ILLS = ((502, 503, 504), ("cut-before", "cut-middle"), ("slow",))

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Manifests of another cluster, and a place for files."""
    root = tmp_path_factory.mktemp("faults")
    names = {"metadata": {"name": "other"}}
    documents = {
        "pull-secret": {"kind": "Secret", "stringData": {".dockerconfigjson": PULL_SECRET}},
        "infraenv": {"kind": "InfraEnv", **names, "spec": {}},
        "cluster-deployment": {
            "kind": "ClusterDeployment",
            **names,
            "spec": {"clusterName": "other", "baseDomain": "lab.example.com"},
        },
        "agent-cluster-install": {
            "kind": "AgentClusterInstall",
            **names,
            "spec": {"provisionRequirements": {"controlPlaneAgents": 3}},
        },
        "cluster-image-set": {"kind": "ClusterImageSet", "spec": {"releaseImage": scripted.RELEASE}},
    }
    for name, document in documents.items():
        (root / f"{name}.yaml").write_text(yaml.safe_dump(document))
    return root


@pytest.fixture
def gateway(bench: Bench) -> Iterator[Gateway]:
    opened = Gateway(bench.url, bench.token)
    yield opened
    opened.close()


def asking(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, directory: Path) -> Ask:
    """Opens a module; pauses between repeats are cut short, nothing else is. What it prints holds no secret."""
    monkeypatch.setattr(SystemClock, "sleep", lambda self, seconds: threading.Event().wait(min(seconds, 0.02)))

    def ask(gateway: Gateway, name: str, /, *, check: bool = False, **arguments: Any) -> dict[str, Any]:
        module = importlib.import_module(f"ansible_collections.zerotouch.openshift.plugins.modules.{name}")
        provided = {
            "service_url": gateway.url,
            "retries": 3,
            "request_timeout": 20,
            **MODULES.get(name, {}),
            **arguments,
        }
        provided |= {
            "assisted_files": {"dest": str(directory / "files")},
            "assisted_manifests": {"config_dir": str(directory)},
        }.get(name, {})
        with patch_module_args({**provided, "_ansible_check_mode": check}), pytest.raises(SystemExit):
            module.main()
        output = capfd.readouterr().out
        secrets = (
            json.loads(PULL_SECRET)["auths"]["quay.io"]["auth"],
            "access-token-",
            "offline-token-1",
            str(arguments.get("token") or "-no-token-"),
        )
        assert not any(secret in output for secret in secrets)
        return dict(json.loads(output))

    return ask


@pytest.fixture
def ask(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, directory: Path) -> Ask:
    return asking(capfd, monkeypatch, directory)


@pytest.fixture(scope="module")
def settled(bench: Bench) -> dict[str, bool]:
    return {}


@pytest.fixture
def requested(bench: Bench, gateway: Gateway, ask: Ask, settled: dict[str, bool]) -> None:
    """Everything is as the modules ask for it."""
    if settled:
        return
    assert not ask(gateway, "assisted_cluster", token=bench.token).get("failed")
    site = ask(gateway, "assisted_infra_env", token=bench.token)
    bench.boot(site["infra_env"]["id"], scripted.Machine(1))
    for name in MODULES:
        if name not in ("assisted_cluster", "assisted_infra_env"):
            done = ask(gateway, name, token=bench.token)
            assert not done.get("failed"), (name, done)
    settled["done"] = True
    gateway.seen.clear()


@pytest.mark.parametrize("name", MODULES)
def test_each_ill_of_each_request_of_a_module_goes_by(
    name: str, bench: Bench, gateway: Gateway, ask: Ask, requested: None
) -> None:
    well = ask(gateway, name, token=bench.token)
    asked = sorted({path.split("/api/assisted-install")[1].partition("?")[0] for _method, path in gateway.seen})
    assert asked and not well.get("failed") and not well["changed"], well
    for row in ILLS:
        slow = row == ("slow",)
        # A slow one takes its second: one request is enough.
        gateway.ills = [("", part, ill) for part in (asked[:1] if slow else asked) for ill in row]
        done = ask(gateway, name, token=bench.token, request_timeout=0.5 if slow else 20, retries=9)
        assert not done.get("failed") and not done["changed"] and gateway.ills == [], (
            row,
            done.get("msg"),
            gateway.ills,
        )


@pytest.mark.parametrize("name", MODULES)
def test_what_does_not_go_by_is_reported_in_words(
    name: str, bench: Bench, gateway: Gateway, ask: Ask, requested: None
) -> None:
    for ill, words in ((503, "503: upstream connect error"), ("cut-before", "broke")):
        gateway.ills = [("", "", ill)] * 99
        limit = {"timeout": 0.1} if name == "assisted_hosts" else {}
        failed = ask(gateway, name, token=bench.token, retries=0, **limit)  # with repetition a minute each
        assert failed["failed"] and words in failed["msg"] and "Traceback" not in json.dumps(failed), failed
    gateway.ills = []
    gateway.close()
    refused = ask(gateway, name, token=bench.token)
    assert refused["failed"] and "cannot be reached" in refused["msg"]
    gateway.open()
    wrong = ask(gateway, name, token="no.token.of-theirs")
    assert wrong["failed"] and "401" in wrong["msg"], wrong["msg"]


def test_a_token_that_ends_in_the_middle_of_each_module(bench: Bench, ask: Ask, requested: None) -> None:
    hosted = Gateway(bench.url, bench.token, tokens=2)
    for name in MODULES:
        done = ask(hosted, name, offline_token="offline-token-1", token_url=f"{hosted.url}/token")
        assert not done.get("failed") and not done["changed"], (name, done)
    assert hosted.issued >= len(MODULES)
    hosted.ills = [("POST", "/token", 503)] * 99
    failed = ask(hosted, "assisted_info", offline_token="offline-token-1", token_url=f"{hosted.url}/token")
    assert "No access token" in failed["msg"] and "503" in failed["msg"]
    hosted.close()


CREATIONS = [
    ("assisted_cluster", "/v2/clusters", {"name": "twice"}),
    ("assisted_infra_env", "/v2/infra-envs", {"name": "twice", "cluster_name": None}),
    (
        "assisted_cluster",
        "/v2/clusters/import",
        {
            "name": "gone",
            "existing": {"api_vip_dnsname": "api.gone.x.y", "openshift_cluster_id": scripted.INFRA_ENV_ID},
        },
    ),
]


@pytest.mark.parametrize(
    ("name", "path", "arguments"), CREATIONS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_creation_whose_answer_is_lost_is_reported_and_found_by_the_next_run(
    name: str, path: str, arguments: dict[str, Any], bench: Bench, gateway: Gateway, ask: Ask
) -> None:
    only = {key: value for key, value in arguments.items() if value is not None}
    base = (
        {"pull_secret": PULL_SECRET, "cluster_name": None}
        if name == "assisted_infra_env"
        else {**dict.fromkeys(CLUSTER), "pull_secret": PULL_SECRET}
    )
    provided = {
        key: value
        for key, value in {**base, "openshift_version": "4.22", **only}.items()
        if key != "cluster" or name == "assisted_infra_env"
    }
    if "existing" in provided:
        provided = {key: value for key, value in provided.items() if key not in ("pull_secret", "openshift_version")}
    gateway.ills = [("POST", path, "cut-after")]
    lost = ask(gateway, name, token=bench.token, **provided)
    assert lost["failed"] and "It is not known whether the service has executed the request" in lost["msg"]
    found = [ask(gateway, name, token=bench.token, **provided) for _ in range(2)]
    assert not any(item.get("failed") for item in found) and not found[1]["changed"], found
    assert (
        sum(method == "POST" and path == url.partition("/api/assisted-install")[2] for method, url in gateway.seen) == 1
    )
    assert ask(gateway, name, token=bench.token, name=provided["name"], state="absent")["changed"]


def test_changes_are_sent_again_and_made_once(bench: Bench, gateway: Gateway, ask: Ask, requested: None) -> None:
    for ill in ("cut-before", "cut-after", 502):
        tags = [f"t_{ill}".replace("-", "_")]
        ignored = {"hosts": ["ntp-synced", *(["mtu-valid"] if ill == "cut-after" else [])]}
        gateway.ills = [("PATCH", "/v2/clusters", ill), *([("PUT", "ignored", ill)] if ill == "cut-after" else [])]
        changed = ask(gateway, "assisted_cluster", token=bench.token, tags=tags, ignored_validations=ignored)
        assert not changed.get("failed") and changed["changed"] and gateway.ills == [], changed
        assert not ask(gateway, "assisted_cluster", token=bench.token, tags=tags, ignored_validations=ignored)[
            "changed"
        ]
        gateway.ills = [("PATCH", "/hosts/", ill)]
        labelled = ask(gateway, "assisted_hosts", token=bench.token, hosts=[{**HOST, "node_labels": {"rack": tags[0]}}])
        assert not labelled.get("failed") and labelled["changed"], labelled["msg"]
    ask(gateway, "assisted_hosts", token=bench.token, hosts=[HOST])


def test_two_runs_at_once_leave_one_of_each(bench: Bench) -> None:
    """The packages and not the modules, since a module ends its process; the rest is the same, the lab's service
    included.
    """

    def make_cluster(service: AssistedService) -> str:
        requested = read_requested({"name": "race", "openshift_version": "4.22", "pull_secret": PULL_SECRET})
        return str(cluster.make_present(service, requested, check_mode=False).value["cluster"]["id"])

    def make_infra_env(service: AssistedService) -> str:
        return str(
            infra_env.make_present(service, {"name": "race", "pull_secret": PULL_SECRET}, check_mode=False).value[
                "infra_env"
            ]["id"]
        )

    for listing, work in (("clusters", make_cluster), ("infra_envs", make_infra_env)):
        barrier = threading.Barrier(2, timeout=300)

        def one(
            _number: int, listing: str = listing, work: Callable[..., str] = work, barrier: threading.Barrier = barrier
        ) -> str:
            service, first = connect({"service_url": bench.url, "token": bench.token}), []
            look = getattr(service, listing)

            def together(*provided: str) -> Any:
                found = look(*provided)
                if not first:
                    first.append(True)
                    barrier.wait()  # both have looked before either creates
                return found

            setattr(service, listing, together)
            return work(service)

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            made = list(pool.map(one, range(2)))
        left = [
            item["id"]
            for item in getattr(connect({"service_url": bench.url, "token": bench.token}), listing)()
            if item["name"] == "race"
        ]
        assert len(left) == 1 and made == left * 2


def test_an_installation_is_followed_across_a_restart_of_the_gateway(bench: Bench, gateway: Gateway, ask: Ask) -> None:
    """The service is away for as long as its process takes to start again, in the middle of the wait."""
    site = ask(
        gateway,
        "assisted_cluster",
        token=bench.token,
        name="restart",
        control_plane_count=1,
        api_vips=[],
        ingress_vips=[],
    )
    assert not site.get("failed"), site
    infra_env = ask(gateway, "assisted_infra_env", token=bench.token, name="restart", cluster_name="restart")
    bench.boot(infra_env["infra_env"]["id"], scripted.Machine(7))
    bench.report_completion_of(site["cluster"]["id"])
    away = [
        ("GET", f"clusters/{site['cluster']['id']}", ill) for ill in ("cut-before", 503, 502, 504, "cut-middle")
    ] * 8
    gateway.then = {"actions/install": away}
    done = ask(
        gateway,
        "assisted_install",
        token=bench.token,
        cluster_name="restart",
        state="installed",
        retries=1,
        timeout=120,
        ready_timeout=120,
    )
    assert not done.get("failed"), done["msg"]
    assert (
        gateway.ills == []
        and gateway.then == {}
        and done["cluster"]["status"] == "installed"
        and done["plan"] == ["install cluster restart"]
    )
