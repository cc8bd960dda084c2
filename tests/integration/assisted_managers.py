# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run upstream's own managers of OpenShift Assisted on a real API server.

OPENSHIFT_ASSISTED_BOOTSTRAP and OPENSHIFT_ASSISTED_CONTROLPLANE name the managers, KUBEBUILDER_ASSETS the directory
with kube-apiserver and etcd (docs/upstream/openshift-assisted.md).
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.kinds import (
    BOOTSTRAP_GROUP,
    CONTROL_PLANE_GROUP,
    AssistedKinds,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.resource import Resource
from ansible_collections.zerotouch.openshift.tests.support import upstream
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import definitions
from ansible_collections.zerotouch.openshift.tests.support.ports import free_port
from ansible_collections.zerotouch.openshift.tests.support.real_api import (
    DEFINITION,
    HAS_ASSETS,
    RealApi,
    eventually,
)

from .lab import ROOT

PROGRAMS = {
    name: Path(os.environ.get(f"OPENSHIFT_ASSISTED_{name}") or "/nonexistent") for name in ("BOOTSTRAP", "CONTROLPLANE")
}
CRDS = upstream.required("crds")
ENCLOSED = ROOT / "lab" / "tests" / "hub" / "capi" / "enclosed.py"
ISOLATE = ["unshare", "--map-root-user", "--net", "--mount", "true"]
ISOLATED = (
    shutil.which("unshare") is not None and subprocess.run(ISOLATE, check=False, capture_output=True).returncode == 0
)
NEEDED = [
    pytest.mark.skipif(not HAS_ASSETS, reason="KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd"),
    pytest.mark.skipif(
        not all(path.is_file() for path in PROGRAMS.values()),
        reason=("OPENSHIFT_ASSISTED_BOOTSTRAP and _CONTROLPLANE name no managers"),
    ),
    pytest.mark.skipif(not ISOLATED, reason="no network namespace can be made here"),
    pytest.mark.filterwarnings("ignore:Unverified HTTPS request"),
]
KINDS = AssistedKinds()
VALIDATORS = Resource(
    "admissionregistration.k8s.io",
    "v1",
    "ValidatingWebhookConfiguration",
    "validatingwebhookconfigurations",
    namespaced=False,
)
SERVICE = "assisted.hub.example.com"
GROUPS = {"BOOTSTRAP": BOOTSTRAP_GROUP, "CONTROLPLANE": CONTROL_PLANE_GROUP}


@contextlib.contextmanager
def managed_api(directory: Path) -> Iterator[RealApi]:
    """An API server with the definitions of a hub, on which both managers work and convert between versions."""
    server = RealApi(directory)
    with tempfile.TemporaryDirectory(prefix="zt-") as short:
        try:
            server.define(definitions(CRDS))
            manage(server, Path(short))
            yield server
        finally:
            server.stop()


def manage(api: RealApi, short: Path) -> None:
    """Start both managers; ``short``: a directory with a short path."""
    certificate = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=managers"]
    names = f"subjectAltName=IP:127.0.0.1,DNS:quay.io,DNS:{SERVICE}"
    for name, program in PROGRAMS.items():
        directory = short / name
        certificates = directory / "certificates"
        certificates.mkdir(parents=True)
        files = ["-keyout", str(certificates / "tls.key"), "-out", str(certificates / "tls.crt"), "-addext", names]
        subprocess.run([*certificate, *files], check=True, capture_output=True)
        environment = {
            "SSL_CERT_FILE": str(certificates / "tls.crt"),
            "ASSISTED_CA_BUNDLE_NAME": "",
            "ASSISTED_CA_BUNDLE_NAMESPACE": "",
        }
        port = free_port()
        enclosure = {
            "program": str(program),
            "arguments": [
                f"--kubeconfig={api.kubeconfig}",
                "--metrics-bind-address=0",
                "--health-probe-bind-address=0",
            ],
            "environment": environment,
            "api": ["127.0.0.1", api.port],
            "webhooks": port,
            "hosts": [SERVICE, "quay.io"],
            "versions": {"4.20.3": "1.33.5"},
            "discovery": json.dumps({"ignition": {"version": "3.1.0"}}),
        }
        (directory / "enclosed.json").write_text(json.dumps(enclosure))
        api.run(name, Path(sys.executable), str(ENCLOSED), str(directory))
        context = ssl.create_default_context(cafile=certificates / "tls.crt")
        eventually(
            lambda port=port, context=context: answers(port, context),
            lambda name=name: (api.directory / f"{name}.log").read_text()[-2000:],
        )
        authority = base64.b64encode((certificates / "tls.crt").read_bytes()).decode()
        if name == "BOOTSTRAP":
            validate(api, port, authority)
        convert(api, GROUPS[name], port, authority)


def convert(api: RealApi, group: str, port: int, authority: str) -> None:
    """As upstream's components have it: the manager converts the objects of its group."""
    client = {"url": f"https://127.0.0.1:{port}/convert", "caBundle": authority}
    webhook = {"clientConfig": client, "conversionReviewVersions": ["v1", "v1beta1"]}
    for definition in api.client.list(DEFINITION.path()):
        if definition["spec"]["group"] == group:
            api.client.merge_patch(
                DEFINITION.path(name=definition["metadata"]["name"]),
                {"spec": {"conversion": {"strategy": "Webhook", "webhook": webhook}}},
            )


def answers(port: int, context: ssl.SSLContext) -> bool:
    try:
        urllib.request.urlopen(f"https://127.0.0.1:{port}/", context=context, timeout=5)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def validate(api: RealApi, port: int, authority: str) -> None:
    """As upstream's components have it: the spec of a config never changes."""
    path = "/validate-bootstrap-cluster-x-k8s-io-v1alpha2-openshiftassistedconfig"
    rule = {
        "apiGroups": [KINDS.config.group],
        "apiVersions": ["v1alpha2"],
        "operations": ["*"],
        "resources": ["openshiftassistedconfigs"],
    }
    entry = {
        "name": "v1alpha2.validation.openshiftassistedconfig.bootstrap.cluster.x-k8s.io",
        "clientConfig": {"url": f"https://127.0.0.1:{port}{path}", "caBundle": authority},
        "rules": [rule],
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    api.client.create(VALIDATORS.path(), {"metadata": {"name": "bootstrap"}, "webhooks": [entry]})
