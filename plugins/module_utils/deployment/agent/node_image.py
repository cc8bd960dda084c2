# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build the image from which hosts join an installed cluster, from nodes-config.yaml and facts of that cluster, for
module ``node_image`` (openshift/installer pkg/asset/agent/joiner, pkg/asset/agent/workflow).

Section ``node_image`` of the state keeps the secrets generated for the image, apart from the secrets of a cluster that
was installed from the same directory. The tokens of an image expire after two days. An image that is built within the
first of these days uses the same tokens; a later one gets new tokens.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...cluster.nodes_config import NODES_CONFIG, NodesConfig, read_nodes_config
from ...cluster.rules.facts import Facts
from ...cluster.rules.hosts import hosts as host_rules
from ...cluster.rules.network_config import network_configs
from ...cluster.spec import Deployment, ImageDigestSource, Proxy
from ...common.addresses import canonical_ip
from ...common.architectures import go_architecture
from ...common.errors import InvalidInput, ZeroTouchError
from ...common.files import ensure_directory, remove_leftovers
from ...common.problems import INVALID, Problem
from ...ignition.document import LiveIgnition
from ...ignition.nodes import IgnitionEndpoint, RunningCluster, build_nodes_ignition, nodes_deployment
from ...ignition.secrets import BuildSecrets, from_state, make_secrets
from ...ignition.tokens import Tokens, node_tokens
from ...image.boot_artifacts import ArtifactNames
from ...nmstate.document import static_addresses
from ..state.work_dir import WorkDir, check_place
from .base_image import BaseImage, BaseImageSource, ReadyBase, check_fit, find_base, target_of
from .product import Kind, Made, Product, about_boot, files_of, make_product, order, path_of, plan_product

SECTION = "node_image"
# There is no minimal ISO for this (openshift/installer pkg/asset/agent/image/agentimage.go).
KINDS = ("iso", "pxe")


@dataclasses.dataclass(frozen=True)
class RunningNode:
    """A node that the cluster has: its name and addresses are taken."""

    name: str
    addresses: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class NodeImageRequest:
    """What the user asks for; ``nodes`` are those that the cluster has already, as far as they are known."""

    config_dir: Path
    work_dir: Path
    base: BaseImage
    source: BaseImageSource
    cluster: RunningCluster
    nodes: tuple[RunningNode, ...] = ()
    kind: Kind = "iso"
    force: bool = False
    checksum: bool = False


@dataclasses.dataclass(frozen=True)
class NodeImagePlan:
    """What :func:`apply_node_image` does.

    ``ignition`` and ``product`` are None where check mode only knows that they will be made.
    """

    request: NodeImageRequest
    base: ReadyBase
    names: ArtifactNames
    secrets: BuildSecrets
    tokens: Tokens
    new_tokens: bool
    ignition: LiveIgnition | None = None
    product: Product | None = None
    warnings: tuple[str, ...] = ()

    @property
    def image_path(self) -> Path:
        return path_of(WorkDir(self.request.work_dir), self.request.kind, self.names)

    @property
    def image_steps(self) -> tuple[str, ...]:
        """What is made of the base image, a line for each change."""
        return (f"build {self.image_path}: {self.reason}",) if self.product is None else self.product.steps

    @property
    def image_changed(self) -> bool:
        return bool(self.image_steps)

    @property
    def reason(self) -> str:
        return self.product.reason if self.product else "the base image is not here yet"

    @property
    def steps(self) -> tuple[str, ...]:
        """The plan in words, a line for each change."""
        tokens = (f"create tokens that are valid until {self.tokens.expires}",) if self.new_tokens else ()
        return (*filter(None, (self.base.note,)), *tokens, *self.image_steps)

    def secret_values(self) -> set[str]:
        """What must not appear in any output."""
        tokens = {self.tokens.agent_token, self.tokens.user_token, self.tokens.watcher_token}
        return {*self.secrets.values(), *tokens, self.request.cluster.pull_secret}


def facts_of(provided: Mapping[str, Any]) -> RunningCluster:
    """The facts as the module's option ``running_cluster`` gives them."""
    endpoint = provided.get("ignition_endpoint")
    return RunningCluster(
        cluster_id=provided["id"],
        api_dns_name=provided["api_dns_name"],
        version=provided["version"],
        release_image=provided["release_image"],
        platform=provided["platform"],
        pull_secret=provided["pull_secret"],
        architecture=go_architecture(provided["arch"]),
        ssh_key="\n".join(provided["ssh_public_keys"]),
        trust_bundle=provided["additional_trust_bundle"],
        image_digest_sources=tuple(
            ImageDigestSource(source["source"], tuple(source["mirrors"])) for source in provided["image_digest_sources"]
        ),
        proxy=Proxy(provided["http_proxy"], provided["https_proxy"], provided["no_proxy"]),
        fips=provided["fips"],
        chrony_conf=provided["chrony_conf"],
        ignition_endpoint=IgnitionEndpoint(endpoint["url"], endpoint["ca_certificate"]) if endpoint else None,
    )


def running_nodes(provided: Mapping[str, Any]) -> tuple[RunningNode, ...]:
    """The nodes of the same option."""
    return tuple(RunningNode(node["name"], tuple(node["addresses"])) for node in provided["nodes"])


def plan_node_image(
    request: NodeImageRequest, *, now: datetime.datetime | None = None, check_mode: bool = False
) -> NodeImagePlan:
    """Read and decide; ``now`` is the present time unless given.

    Nothing is written but, outside check mode, the cache of base images.

    Raises :class:`InvalidInput` with every problem of the hosts and the facts, :class:`ZeroTouchError` for a base image
    or state that cannot be used.
    """
    now = now or datetime.datetime.now(datetime.UTC)
    check_place(request.work_dir)
    config = read_nodes_config(request.config_dir)
    cluster = dataclasses.replace(
        request.cluster,
        architecture=config.architecture or request.cluster.architecture,
        ssh_key=config.ssh_key or request.cluster.ssh_key,
    )
    deployment = nodes_deployment(cluster, config.hosts)
    warnings = _checked(config, deployment, request, now.date())
    arch = deployment.cluster.architecture
    known = WorkDir(request.work_dir).state.section(SECTION)
    recorded = {} if request.force else (known.get("image") or {}).get("stream") or {}
    base = find_base(
        request.base, request.source, check_mode=check_mode, target=target_of(deployment.cluster), record=recorded
    )
    if base.image is not None:
        warnings += check_fit(base.image, cluster.version, arch)
    secrets = from_state(known.get("secrets") or {}) or make_secrets()
    kept = Tokens(**known["tokens"]) if known.get("tokens") else None
    tokens = kept if kept is not None and kept.last(now) else node_tokens(now)
    plan = NodeImagePlan(
        request,
        base,
        ArtifactNames("node", arch),
        secrets,
        tokens,
        tokens is not kept,
        warnings=(*base.warnings, *warnings),
    )
    if base.image is None:
        return plan
    ignition = build_nodes_ignition(cluster, config.hosts, secrets, tokens, base.os_image(cluster.version, arch))
    wanted = order(
        request.kind,
        plan.names,
        base,
        config.boot_artifacts_base_url,
        ("fips=1",) if cluster.fips else (),
        force=request.force,
    )
    product = plan_product(
        base.image,
        WorkDir(request.work_dir),
        wanted,
        ignition,
        known.get("image") or {},
        request.source.check(base.provided),
    )
    return dataclasses.replace(
        plan, ignition=ignition, product=product, warnings=(*plan.warnings, *about_boot(wanted, deployment))
    )


def _checked(config: NodesConfig, deployment: Deployment, request: NodeImageRequest, today: datetime.date) -> list[str]:
    """Warnings; raises :class:`InvalidInput` when there are errors."""
    facts = Facts(deployment, today)
    file = str(request.config_dir / NODES_CONFIG)
    ruled = [
        dataclasses.replace(problem, file=file)
        for problem in (*host_rules(facts), *network_configs(facts), *_taken(deployment, request.nodes))
    ]
    problems = list(dict.fromkeys([*config.problems, *ruled]))
    if any(problem.severity == "error" for problem in problems):
        raise InvalidInput(problems)
    return [problem.text() for problem in problems]


def _taken(deployment: Deployment, nodes: Iterable[RunningNode]) -> list[Problem]:
    names = {node.name: node for node in nodes}
    addresses = {canonical_ip(address): node for node in nodes for address in node.addresses}
    found = []
    for index, host in enumerate(deployment.hosts):
        if host.hostname in names:
            detail = f"hostname conflict found. The configured hostname {host.hostname} is already used in the cluster"
            found.append(Problem(f"hosts[{index}].hostname", INVALID, detail))
        for address in static_addresses(host.network_config):
            node = addresses.get(canonical_ip(address.ip))
            if node is not None:
                detail = (
                    f"address conflict found. The configured address {address.ip} is already used by the cluster node "
                    f"{node.name}"
                )
                found.append(Problem(f"hosts[{index}].networkConfig", INVALID, detail))
    return found


def apply_node_image(plan: NodeImagePlan) -> Made:
    """Carry out a complete plan: secrets, image, state.

    Plan and carry out within one run: what was drawn must not meet what another run drew meanwhile.
    """
    if plan.product is None:
        raise ZeroTouchError(
            "This plan was made in check mode, so it has no content to write.",
            "Run without check mode. If this run was not in check mode, report a bug of the collection.",
        )
    work_dir = plan.request.work_dir
    ensure_directory(work_dir)
    remove_leftovers(work_dir)
    state = WorkDir(work_dir).state
    state.update(SECTION, {"secrets": plan.secrets.to_state(), "tokens": dataclasses.asdict(plan.tokens)})
    made = make_product(plan.product, checksum=plan.request.checksum)
    state.update(SECTION, {"image": {**made.section, **plan.base.record, "kind": plan.request.kind}})
    return made


def describe_node_image(plan: NodeImagePlan, made: Made | None = None) -> dict[str, Any]:
    """The module's result; digests and sizes are those of ``made``, else what is known beforehand."""
    return {
        "changed": plan.image_changed,
        "path": str(plan.image_path),
        **files_of(plan.product, made, plan.base.size),
        "kind": plan.request.kind,
        "arch": plan.names.arch,
        "state_file": str(WorkDir(plan.request.work_dir).state.path),
        "expires_at": plan.tokens.expires,
        "ignition_files": plan.ignition.table() if plan.ignition else [],
        "reason": plan.reason,
        "plan": list(plan.steps),
    }
