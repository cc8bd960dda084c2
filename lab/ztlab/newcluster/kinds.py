# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Kubernetes kinds that the API of a new cluster serves, with their columns for ``kubectl get``."""

from __future__ import annotations

import base64
import binascii
import dataclasses

from ..kubeapi.errors import ApiError, invalid
from ..kubeapi.resource import Column, Object, Resource, replace_status
from ..kubeapi.table import AGE, condition, condition_column, since_column
from .eviction import evict

STATUS = {"status": replace_status}
CONFIG = "config.openshift.io"
MCO = "machineconfiguration.openshift.io"
METAL3 = "metal3.io"


def _address(item: Object, kind: str) -> str:
    found = [
        entry["address"] for entry in (item.get("status") or {}).get("addresses") or [] if entry.get("type") == kind
    ]
    return str(found[0]) if found else "<none>"


def node_status(item: Object) -> str:
    text = "Ready" if condition(item, "Ready") == "True" else "NotReady"
    return text + (",SchedulingDisabled" if (item.get("spec") or {}).get("unschedulable") else "")


def node_roles(item: Object) -> str:
    prefix = "node-role.kubernetes.io/"
    return (
        ",".join(
            sorted(label[len(prefix) :] for label in item["metadata"].get("labels") or {} if label.startswith(prefix))
        )
        or "<none>"
    )


def _info(item: Object, member: str) -> str:
    return str(((item.get("status") or {}).get("nodeInfo") or {}).get(member, ""))


def csr_condition(item: Object) -> str:
    """As kubectl shows it: Pending, Approved, Denied, with Issued."""
    kinds = [entry.get("type") for entry in (item.get("status") or {}).get("conditions") or []]
    text = next((kind for kind in ("Denied", "Approved") if kind in kinds), "Pending")
    return text + (",Issued" if (item.get("status") or {}).get("certificate") else "")


def replace_approval(current: Object, body: Object) -> Object:
    """Subresource ``approval`` of a CSR: only the conditions come from the body."""
    conditions = (body.get("status") or {}).get("conditions") or []
    kinds = {entry.get("type") for entry in conditions}
    if {"Approved", "Denied"} <= kinds:
        name = current["metadata"]["name"]
        raise invalid(
            "CertificateSigningRequest",
            "certificates.k8s.io",
            name,
            [("status.conditions", "Invalid value: Approved and Denied conditions are mutually exclusive")],
        )
    return {**current, "status": {**(current.get("status") or {}), "conditions": conditions}}


def check_csr(new: Object, old: Object | None) -> None:
    """A request must be base64 of PEM and cannot change."""
    spec = new.get("spec") or {}
    if old is not None:
        new["spec"] = old["spec"]
        return
    try:
        pem = base64.b64decode(spec.get("request") or "", validate=True)
    except binascii.Error:
        pem = b""
    if b"-----BEGIN CERTIFICATE REQUEST-----" not in pem:
        raise invalid(
            "CertificateSigningRequest",
            "certificates.k8s.io",
            new["metadata"]["name"],
            [("spec.request", "Invalid value: PEM block type must be CERTIFICATE REQUEST")],
        )
    if not spec.get("signerName"):
        raise ApiError(422, "Invalid", "spec.signerName: Required value")


def _version_column(item: Object) -> str:
    history = (item.get("status") or {}).get("history") or []
    return next((entry["version"] for entry in history if entry.get("state") == "Completed"), "")


def _operator_version(item: Object) -> str:
    versions = (item.get("status") or {}).get("versions") or []
    return next((entry["version"] for entry in versions if entry.get("name") == "operator"), "")


def _message(item: Object) -> str:
    """First message that matters, as the column of ``oc get co``."""
    for kind, wanted in (("Degraded", "True"), ("Available", "False"), ("Progressing", "True")):
        if condition(item, kind) == wanted:
            return condition(item, kind, "message")
    return ""


NODE_COLUMNS = (
    Column("Status", node_status),
    Column("Roles", node_roles),
    AGE,
    Column("Version", lambda item: _info(item, "kubeletVersion")),
    Column("Internal-IP", lambda item: _address(item, "InternalIP"), priority=1),
    Column("External-IP", lambda item: _address(item, "ExternalIP"), priority=1),
    Column("OS-Image", lambda item: _info(item, "osImage"), priority=1),
    Column("Kernel-Version", lambda item: _info(item, "kernelVersion"), priority=1),
    Column("Container-Runtime", lambda item: _info(item, "containerRuntimeVersion"), priority=1),
)
CSR_COLUMNS = (
    AGE,
    Column("SignerName", lambda item: item["spec"].get("signerName", "")),
    Column("Requestor", lambda item: item["spec"].get("username", "")),
    Column("RequestedDuration", lambda item: "<none>"),
    Column("Condition", csr_condition),
)
VERSION_COLUMNS = (
    Column("Version", _version_column),
    condition_column("Available", "Available"),
    condition_column("Progressing", "Progressing"),
    since_column("Since", "Progressing"),
    Column("Status", lambda item: condition(item, "Progressing", "message")),
)
OPERATOR_COLUMNS = (
    Column("Version", _operator_version),
    condition_column("Available", "Available"),
    condition_column("Progressing", "Progressing"),
    condition_column("Degraded", "Degraded"),
    since_column("Since", "Available"),
    Column("Message", _message),
)
POOL_COLUMNS = (
    Column("Config", lambda item: ((item.get("status") or {}).get("configuration") or {}).get("name", "")),
    condition_column("Updated", "Updated"),
    condition_column("Updating", "Updating"),
    condition_column("Degraded", "Degraded"),
    Column("MachineCount", lambda item: (item.get("status") or {}).get("machineCount", 0), type="number"),
    Column("ReadyMachineCount", lambda item: (item.get("status") or {}).get("readyMachineCount", 0), type="number"),
    AGE,
)
ROUTE_COLUMNS = (
    Column("Host/Port", lambda item: (item.get("spec") or {}).get("host", "")),
    Column("Services", lambda item: ((item.get("spec") or {}).get("to") or {}).get("name", "")),
    Column("Termination", lambda item: ((item.get("spec") or {}).get("tls") or {}).get("termination", "")),
)


def _count(member: str) -> Column:
    return Column("Data", lambda item: len(item.get(member) or {}), type="string")


POD_COLUMNS = (
    Column("Status", lambda item: (item.get("status") or {}).get("phase", "Pending")),
    AGE,
    Column("Node", lambda item: (item.get("spec") or {}).get("nodeName", "<none>"), priority=1),
)
POD_FIELDS = {
    "spec.nodeName": lambda item: (item.get("spec") or {}).get("nodeName", ""),
    "status.phase": lambda item: (item.get("status") or {}).get("phase", ""),
}
EVENT_FIELDS = {
    f"involvedObject.{member}": (lambda item, member=member: (item.get("involvedObject") or {}).get(member, ""))
    for member in ("name", "namespace", "kind", "uid")
}


POD = Resource("", "v1", "Pod", "pods", True, ("po",), subresources=STATUS, fields=POD_FIELDS, columns=POD_COLUMNS)
BUDGET = Resource("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", True, ("pdb",), subresources=STATUS)


def resources() -> list[Resource]:
    """Everything the API serves."""
    core = [
        Resource(
            "",
            "v1",
            "Namespace",
            "namespaces",
            short_names=("ns",),
            subresources=STATUS,
            columns=(Column("Status", lambda item: "Active"), AGE),
        ),
        Resource("", "v1", "Node", "nodes", short_names=("no",), subresources=STATUS, columns=NODE_COLUMNS),
        Resource("", "v1", "ConfigMap", "configmaps", True, ("cm",), columns=(_count("data"), AGE)),
        Resource(
            "",
            "v1",
            "Secret",
            "secrets",
            True,
            columns=(Column("Type", lambda item: item.get("type", "Opaque")), _count("data"), AGE),
        ),
        dataclasses.replace(POD, actions={"eviction": evict(POD, BUDGET)}),
        BUDGET,
        Resource("", "v1", "Event", "events", True, ("ev",), fields=EVENT_FIELDS),
        Resource("", "v1", "ServiceAccount", "serviceaccounts", True, ("sa",)),
        Resource("rbac.authorization.k8s.io", "v1", "Role", "roles", True),
        Resource("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", True),
        Resource("apps", "v1", "DaemonSet", "daemonsets", True, ("ds",), subresources=STATUS),
        Resource(
            "certificates.k8s.io",
            "v1",
            "CertificateSigningRequest",
            "certificatesigningrequests",
            short_names=("csr",),
            columns=CSR_COLUMNS,
            subresources={**STATUS, "approval": replace_approval},
            prepare=check_csr,
            fields={"spec.signerName": lambda item: item["spec"].get("signerName", "")},
        ),
    ]
    openshift = [
        Resource(CONFIG, "v1", "ClusterVersion", "clusterversions", subresources=STATUS, columns=VERSION_COLUMNS),
        Resource(
            CONFIG,
            "v1",
            "ClusterOperator",
            "clusteroperators",
            short_names=("co",),
            subresources=STATUS,
            columns=OPERATOR_COLUMNS,
        ),
        Resource(CONFIG, "v1", "Infrastructure", "infrastructures", subresources=STATUS),
        Resource(CONFIG, "v1", "Ingress", "ingresses", subresources=STATUS),
        Resource(CONFIG, "v1", "DNS", "dnses", subresources=STATUS),
        Resource(CONFIG, "v1", "Network", "networks"),
        Resource(CONFIG, "v1", "Proxy", "proxies", subresources=STATUS),
        Resource(MCO, "v1", "MachineConfig", "machineconfigs", short_names=("mc",)),
        Resource(
            MCO,
            "v1",
            "MachineConfigPool",
            "machineconfigpools",
            short_names=("mcp",),
            subresources=STATUS,
            columns=POOL_COLUMNS,
        ),
        Resource(METAL3, "v1alpha1", "BareMetalHost", "baremetalhosts", True, ("bmh", "bmhost"), subresources=STATUS),
        Resource("route.openshift.io", "v1", "Route", "routes", True, subresources=STATUS, columns=ROUTE_COLUMNS),
    ]
    return [*(dataclasses.replace(resource, strategic=True) for resource in core), *openshift]
