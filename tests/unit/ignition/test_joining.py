# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the Ignition config of an image that adds nodes to a running cluster: its files, and its scripts, which run in a
temporary root directory.
"""

from __future__ import annotations

import base64
import datetime
import json
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Proxy
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.nodes import (
    IgnitionEndpoint,
    RunningCluster,
    nodes_deployment,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.tokens import (
    Tokens,
    make_tokens,
    node_tokens,
)
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from .contents import env, text

Build = Callable[..., LiveIgnition]
SERVICE = {"SERVICE_BASE_URL": "http://127.0.0.1:8090/", "USER_AUTH_TOKEN": "the-user-token", "INFRA_ENV_ID": "e1"}
NOW = datetime.datetime(2026, 11, 21, 10, 0, 0, 500, tzinfo=datetime.UTC)


# What the image holds


def test_the_cluster_is_known_by_its_facts(build_nodes: Build) -> None:
    live = build_nodes()
    assert text(live, "/etc/assisted/add-nodes.env") == (
        "CLUSTER_ID=11111111-2222-3333-4444-555555555555\nCLUSTER_NAME=kni\n"
        "CLUSTER_API_VIP_DNS_NAME=api.kni.example.com\n"
        "AUTH_TOKEN_EXPIRY=2026-11-23T10:00:00Z\n"
    )
    assert json.loads(text(live, "/etc/assisted/clusterconfig/worker-ignition-endpoint.json")) == {
        "ca_certificate": "Q0EK",
        "url": "https://api-int.kni.example.com:22623/config/worker",
    }
    assert text(live, "/etc/issue") == "\\S\nOpenShift Agent Installer image for kni\n"


@pytest.mark.parametrize(
    ("platform", "managed"), [("baremetal", False), ("vsphere", False), ("none", True), ("external", True)]
)
def test_whose_the_network_is_follows_from_the_platform(build_nodes: Build, platform: str, managed: bool) -> None:
    live = build_nodes(platform=platform)
    assert json.loads(text(live, "/etc/assisted/clusterconfig/import-cluster-config.json")) == {
        "networking": {"userManagedNetworking": managed}
    }
    # The image of nodes is a full one, wherever the cluster is.
    assert not [unit.name for unit in live.units if "IMAGE_TYPE_ISO=minimal-iso" in unit.contents]


def test_each_node_is_its_own_rendezvous_host(build_nodes: Build) -> None:
    live = build_nodes()
    rendezvous = env(live, "/etc/assisted/rendezvous-host.env")
    assert {
        key: rendezvous[key]
        for key in ("NODE_ZERO_IP", "SERVICE_BASE_URL", "WORKFLOW_TYPE", "USER_AUTH_TOKEN", "PULL_SECRET_TOKEN")
    } == {
        "NODE_ZERO_IP": "127.0.0.1",
        "SERVICE_BASE_URL": "http://127.0.0.1:8090/",
        "WORKFLOW_TYPE": "addnodes",
        "USER_AUTH_TOKEN": "user-token",
        "PULL_SECRET_TOKEN": "agent-token",
    }
    assert env(live, "/usr/local/share/start-cluster/start-cluster.env") == {
        "REQUIRED_MASTER_NODES": "0",
        "REQUIRED_ARBITER_NODES": "0",
        "REQUIRED_WORKER_NODES": "2",
    }
    assert text(live, "/etc/assisted/manifests/agent-cluster-install.yaml") == ""
    assert text(live, "/etc/assisted/manifests/cluster-deployment.yaml") == ""
    assert live.file("/etc/assisted/manifests/agent-config.yaml") is None


def test_what_the_cluster_does_not_have_is_not_there(build_nodes: Build) -> None:
    live = build_nodes((), ignition_endpoint=None)
    assert live.file("/etc/assisted/clusterconfig/worker-ignition-endpoint.json") is None
    assert live.file("/etc/chrony.conf") is None
    assert text(build_nodes(chrony_conf="server ntp iburst\n"), "/etc/chrony.conf") == "server ntp iburst\n"


def test_the_proxy_is_the_clusters(build_nodes: Build) -> None:
    live = build_nodes(proxy=Proxy("http://p:3128", "", "a,b"))
    assert text(live, "/etc/systemd/system.conf.d/10-default-env.conf") == (
        '[Manager]\nDefaultEnvironment=HTTP_PROXY="http://p:3128"\nDefaultEnvironment=NO_PROXY="a,b"\n'
    )


def test_older_releases_have_what_they_had(build_nodes: Build) -> None:
    assert "AUTH_TOKEN_EXPIRY" not in text(build_nodes(version="4.16.3"), "/etc/assisted/add-nodes.env")
    assert "AUTH_TOKEN_EXPIRY" in text(build_nodes(version="4.17.3"), "/etc/assisted/add-nodes.env")


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"api_dns_name": "10.0.0.1"}, "api_dns_name"),
        ({"version": "4.15.9"}, "version"),
        ({"version": ""}, "version"),
        ({"version": "stable"}, "version"),
        ({"cluster_id": ""}, "id"),
        ({"cluster_id": "kni"}, "id"),
        ({"release_image": ""}, "release_image"),
        ({"release_image": "quay.io/a b"}, "release_image"),
        ({"pull_secret": ""}, "pull_secret"),
        ({"pull_secret": "[]"}, "pull_secret"),
        ({"pull_secret": '{"auths": {}}'}, "pull_secret"),
        ({"ignition_endpoint": IgnitionEndpoint("api-int:22623", "Q0EK")}, "ignition_endpoint.url"),
    ],
)
def test_a_cluster_that_cannot_be_joined_is_refused(
    running_cluster: Callable[..., RunningCluster], changes: dict[str, Any], path: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        nodes_deployment(running_cluster(**changes), ())
    assert [problem.path for problem in caught.value.problems] == [f"running_cluster.{path}"]


def test_everything_that_is_wrong_with_a_cluster_is_reported_at_once(
    running_cluster: Callable[..., RunningCluster],
) -> None:
    with pytest.raises(InvalidInput) as caught:
        nodes_deployment(
            running_cluster(cluster_id="x", version="y", release_image="z", pull_secret="geheim", api_dns_name="w"), ()
        )
    assert len(caught.value.problems) == 5
    assert "geheim" not in str(caught.value)


# Tokens


def claims(token: str, tokens: Tokens) -> dict[str, Any]:
    """The claims of a token whose signature holds."""
    head, body, signature = (base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in token.split("."))
    pem = base64.b64decode(tokens.public_key).decode().replace("EC PUBLIC KEY", "PUBLIC KEY")
    key = serialization.load_pem_public_key(pem.encode())
    assert isinstance(key, ec.EllipticCurvePublicKey)
    der = encode_dss_signature(int.from_bytes(signature[:32]), int.from_bytes(signature[32:]))
    key.verify(der, token.rsplit(".", 1)[0].encode(), ec.ECDSA(hashes.SHA256()))
    assert json.loads(head) == {"alg": "ES256", "typ": "JWT"}
    found: dict[str, Any] = json.loads(body)
    return found


def test_tokens_of_nodes_end_after_two_days() -> None:
    tokens = node_tokens(NOW)
    end = NOW.replace(microsecond=0) + datetime.timedelta(hours=48)
    assert tokens.expires == "2026-11-23T10:00:00Z"
    for token, scheme in (
        (tokens.agent_token, "agentAuth"),
        (tokens.user_token, "userAuth"),
        (tokens.watcher_token, "watcherAuth"),
    ):
        assert claims(token, tokens) == {"auth_scheme": scheme, "exp": int(end.timestamp())}
    with pytest.raises(InvalidSignature):
        claims(tokens.agent_token, make_tokens())


def test_tokens_of_an_installation_have_no_end() -> None:
    tokens = make_tokens()
    assert claims(tokens.user_token, tokens) == {"auth_scheme": "userAuth"}
    assert tokens.expires == ""


@pytest.mark.parametrize(("hours", "last"), [(0, True), (23, True), (24, False), (48, False), (100, False)])
def test_tokens_serve_another_image_while_a_day_is_left(hours: int, last: bool) -> None:
    tokens = node_tokens(NOW.replace(microsecond=0))
    assert tokens.last(NOW.replace(microsecond=0) + datetime.timedelta(hours=hours)) is last
    assert not make_tokens().last(NOW)


# Its scripts

INSTALL = "POST http://127.0.0.1:8090/api/assisted-install/v2/infra-envs/e1/hosts/h1/actions/install"


def test_the_node_is_installed_once_the_service_finds_it_fit(
    build_nodes: Build, sandbox_of: Callable[..., Any]
) -> None:
    box = sandbox_of(build_nodes())
    box.answers("GET", "/clusters", "[]", '[{"id": "c1"}]')
    box.answers(
        "GET",
        "/infra-envs/e1/hosts",
        "[]",
        '[{"id": "h1", "status": "insufficient"}]',
        "fail",
        '[{"id": "h1", "status": "known"}]',
    )
    box.answers("POST", "/infra-envs/e1/hosts/h1/actions/install", "{}")
    result = box.run("add-node.sh", env=SERVICE)
    assert result.returncode == 0, result.stderr
    assert box.lines("/curl-calls").count(INSTALL) == 1
    assert box.lines("/sleeps") == ["2", "10", "10", "10"]
    assert not box.path("/etc/issue.d/90_add-node.issue").exists()
    assert 'header = "Authorization: the-user-token"' in box.lines("/curl-config")


def test_a_node_that_is_not_fit_says_so_on_the_console(build_nodes: Build, sandbox_of: Callable[..., Any]) -> None:
    box = sandbox_of(build_nodes())
    box.answers("GET", "/clusters", '[{"id": "c1"}]')
    box.answers("GET", "/infra-envs/e1/hosts", '[{"id": "h1", "status": "insufficient"}]')
    assert box.run("add-node.sh", env=SERVICE, sleeps=2).returncode != 0
    assert INSTALL not in box.lines("/curl-calls")
    assert "The service says: insufficient." in box.read("/etc/issue.d/90_add-node.issue")


def test_a_refusal_ends_the_script_and_systemd_begins_again(build_nodes: Build, sandbox_of: Callable[..., Any]) -> None:
    live = build_nodes()
    box = sandbox_of(live)
    box.answers("GET", "/clusters", '[{"id": "c1"}]')
    box.answers("GET", "/infra-envs/e1/hosts", '[{"id": "h1", "status": "known"}]')
    box.answers("POST", "/infra-envs/e1/hosts/h1/actions/install", "fail")
    assert box.run("add-node.sh", env=SERVICE).returncode == 1
    unit = next(unit.contents for unit in live.units if unit.name == "agent-add-node.service")
    assert "Restart=on-failure\nRestartSec=30\n" in unit


def test_tokens_that_hold_are_watched_in_silence(build_nodes: Build, sandbox_of: Callable[..., Any]) -> None:
    box = sandbox_of(build_nodes())
    box.command("date", "[[ $* == *2026* ]] && echo 2000 || echo 1000")
    assert (
        box.run("agent-auth-token-status.sh", env={"AUTH_TOKEN_EXPIRY": "2026-11-23T10:00:00Z"}, sleeps=3).returncode
        != 0
    )
    assert box.lines("/sleeps") == ["5"] * 4
    assert not box.path("/etc/issue.d/65_token.issue").exists()


def test_tokens_that_expired_are_reported_on_the_console(build_nodes: Build, sandbox_of: Callable[..., Any]) -> None:
    box = sandbox_of(build_nodes())
    result = box.run("agent-auth-token-status.sh", env={"AUTH_TOKEN_EXPIRY": "2020-01-01T00:00:00Z"})
    assert result.returncode == 1
    assert box.lines("/sleeps") == []
    assert "has expired (2020-01-01T00:00:00Z)" in box.read("/etc/issue.d/65_token.issue")


def test_the_console_names_the_services_of_this_workflow(build_nodes: Build, sandbox_of: Callable[..., Any]) -> None:
    box = sandbox_of(build_nodes())
    box.command("systemctl", "echo activating; [[ $2 == assisted-service.service ]]")
    box.answers("GET", "/clusters", '[{"name": "kni", "status": "adding-hosts", "status_info": "x"}]')
    box.run("install-status.sh", env=SERVICE, sleeps=1)
    shown = box.read("/etc/issue.d/80_install-status.issue")
    assert [line.split()[0] for line in shown.splitlines() if line.startswith("  ")] == [
        "agent-import-cluster",
        "agent-register-infraenv",
        "apply-host-config",
        "agent-add-node",
    ]
    assert "agent-add-node (activating)" in shown
