# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build an agent image for one node without the collection's code, with the smallest content from which a machine
installs.

Source: openshift/installer pkg/asset/agent/image/ignition.go, data/data/agent/files.
"""

from __future__ import annotations

import atexit
import base64
import functools
import gzip
import io
import json
import shutil
import tempfile
import textwrap
from pathlib import Path

import pycdlib
import yaml
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from ztlab.fabric.signer import self_signed_ca
from ztlab.image.base import IGNITION_SIZE, write_base_image

MAC = "02:00:00:00:00:10"
ADDRESS = "192.168.126.10"
INFRA_ENV_ID = "11111111-2222-4333-8444-555555555555"
RELEASE = "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"
SIGNERS = (
    "kube-apiserver-lb-signer",
    "kube-apiserver-localhost-signer",
    "kube-apiserver-service-network-signer",
    "admin-kubeconfig-signer",
)
SHARE = "/usr/local/share/assisted-service"
PULL_SECRET = json.dumps({"auths": {"quay.io": {"auth": base64.b64encode(b"lab:lab").decode()}}})


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Tokens:
    """The three tokens of an image and the key that verifies them."""

    def __init__(self) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        pem = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.public_key = base64.b64encode(pem.replace(b"PUBLIC KEY", b"EC PUBLIC KEY")).decode()
        self.agent, self.user, self.watcher = (
            self._token(key, f"{scheme}Auth") for scheme in ("agent", "user", "watcher")
        )

    @staticmethod
    def _token(key: ec.EllipticCurvePrivateKey, scheme: str) -> str:
        text = ".".join(
            _base64url(json.dumps(part).encode()) for part in ({"alg": "ES256", "typ": "JWT"}, {"auth_scheme": scheme})
        )
        r, s = decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{_base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


class AgentImage:
    """``files``: path -> (mode, text); ``units``: name -> (text, enabled).

    Tests take things away and write the image.
    """

    def __init__(self) -> None:
        self.tokens = Tokens()
        self.files: dict[str, tuple[int, str]] = {}
        self.units: dict[str, tuple[str, bool]] = {}
        self.kargs_append = ""
        self._env_files()
        self._manifests()
        self._host()
        self._programs()
        self._units()

    def _put(self, path: str, text: str, mode: int = 0o600) -> None:
        self.files[path] = (mode, text)

    def _put_env(self, path: str, values: dict[str, str]) -> None:
        self._put(path, "".join(f"{name}={value}\n" for name, value in values.items()))

    def _env_files(self) -> None:
        url = f"http://{ADDRESS}:8090/"
        rendezvous = {
            "NODE_ZERO_IP": ADDRESS,
            "SERVICE_BASE_URL": url,
            "PULL_SECRET_TOKEN": self.tokens.agent,
            "USER_AUTH_TOKEN": self.tokens.user,
        }
        self._put_env("/etc/assisted/rendezvous-host.env", rendezvous | {"WORKFLOW_TYPE": "install"})
        release = {
            "openshift_version": "4.22",
            "cpu_architecture": "x86_64",
            "cpu_architectures": ["x86_64"],
            "url": RELEASE,
            "version": "4.22.0",
        }
        service = {
            "AUTH_TYPE": "agent-installer-local",
            "INSTALL_INVOKER": "agent-installer",
            "ENABLE_SINGLE_NODE_DNSMASQ": "true",
            "EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR": "/opt/agent/tls",
            "HW_VALIDATOR_REQUIREMENTS": "TO_BE_REPLACED_BY_SYSTEMD",
            "PUBLIC_CONTAINER_REGISTRIES": "quay.io",
            "RELEASE_IMAGES": json.dumps([release]),
            "INFRA_ENV_ID": INFRA_ENV_ID,
            "EC_PUBLIC_KEY_PEM": self.tokens.public_key,
            "USER_AUTH_TOKEN": self.tokens.user,
            "WATCHER_AUTH_TOKEN": self.tokens.watcher,
        }
        self._put_env(f"{SHARE}/assisted-service.env", service)
        os_image = {"openshift_version": "4.22.0", "cpu_architecture": "x86_64", "url": "", "version": "422.1"}
        self._put_env(f"{SHARE}/images.env", {"OS_IMAGES": json.dumps([os_image])})
        self._put_env(f"{SHARE}/assisted-db.env", {"POSTGRESQL_DATABASE": "installer"})
        start = {"REQUIRED_MASTER_NODES": "1", "REQUIRED_ARBITER_NODES": "0", "REQUIRED_WORKER_NODES": "0"}
        self._put_env("/usr/local/share/start-cluster/start-cluster.env", start)

    def _manifests(self) -> None:
        networking = {
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
            "machineNetwork": [{"cidr": "192.168.126.0/24"}],
            "serviceNetwork": ["172.30.0.0/16"],
            "networkType": "OVNKubernetes",
            "userManagedNetworking": True,
        }
        install = {
            "networking": networking,
            "provisionRequirements": {"controlPlaneAgents": 1},
            "platformType": "None",
            "sshPublicKey": "ssh-ed25519 AAAA lab",
        }
        labels = {"infraenvs.agent-install.openshift.io": "sno"}
        interfaces = [{"name": "enp1s0", "macAddress": MAC}]
        documents = {
            "cluster-deployment.yaml": {
                "kind": "ClusterDeployment",
                "spec": {"clusterName": "sno", "baseDomain": "example.com"},
            },
            "agent-cluster-install.yaml": {"kind": "AgentClusterInstall", "metadata": {"name": "sno"}, "spec": install},
            "cluster-image-set.yaml": {"kind": "ClusterImageSet", "spec": {"releaseImage": RELEASE}},
            "pull-secret.yaml": {"kind": "Secret", "stringData": {".dockerconfigjson": PULL_SECRET}},
            "infraenv.yaml": {
                "kind": "InfraEnv",
                "metadata": {"name": "sno"},
                "spec": {
                    "cpuArchitecture": "x86_64",
                    "sshAuthorizedKey": "",
                    "nmStateConfigLabelSelector": {"matchLabels": labels},
                },
            },
            "nmstateconfig.yaml": {
                "kind": "NMStateConfig",
                "metadata": {"name": "sno-0", "labels": labels},
                "spec": {
                    "interfaces": interfaces,
                    "config": {"interfaces": [{"name": "enp1s0", "type": "ethernet", "state": "up"}]},
                },
            },
        }
        for name, document in documents.items():
            self._put(f"/etc/assisted/manifests/{name}", yaml.safe_dump(document))

    def _host(self) -> None:
        self._put(f"/etc/assisted/hostnames/{MAC}", "sno-0")
        self._put("/etc/assisted/hostconfig/sno-0/mac_addresses", f"{MAC}\n", 0o644)
        self._put("/etc/assisted/hostconfig/sno-0/role", "master", 0o644)
        keyfile = """\
            [connection]
            id=enp1s0
            type=802-3-ethernet
            interface-name=enp1s0
            autoconnect=true
            autoconnect-priority=1

            [ipv4]
            method=manual
            address0=192.168.126.10/24
            dns=192.168.126.1;
            route0=0.0.0.0/0,192.168.126.1,0
            route0_options=table=254

            [ipv6]
            method=disabled
            """
        self._put("/etc/assisted/network/host0/enp1s0.nmconnection", textwrap.dedent(keyfile))
        self._put("/etc/assisted/network/host0/mac_interface.ini", f"{MAC.upper()}=enp1s0")
        for name in SIGNERS:
            certificate, key = self_signed_ca(name)
            self._put(f"/opt/agent/tls/{name}.crt", certificate.decode())
            self._put(f"/opt/agent/tls/{name}.key", key.decode())

    def _programs(self) -> None:
        programs = (
            "pre-network-manager-config",
            "set-hostname",
            "set-node-zero",
            "get-container-images",
            "wait-for-assisted-service",
        )
        for name in (*programs, "start-cluster-installation", "start-agent", "extract-agent"):
            self._put(f"/usr/local/bin/{name}.sh", "#!/bin/bash\n:\n", 0o555)
        requirements = [
            {
                "version": "default",
                **{
                    role: {"cpu_cores": 4, "ram_mib": 16384, "disk_size_gb": 100}
                    for role in ("master", "worker", "sno")
                },
            }
        ]
        script = f"#!/bin/bash\nrequirements='{json.dumps(requirements)}'\n"
        self._put("/usr/local/bin/configure-assisted-hw-requirements.sh", script, 0o555)
        self._put("/usr/local/bin/release-image.sh", f"RELEASE_IMAGE={RELEASE}\n", 0o555)

    def _units(self) -> None:
        self._unit("pre-network-manager-config.service", exec="/usr/local/bin/pre-network-manager-config.sh")
        self._unit("set-hostname.service", exec="/usr/local/bin/set-hostname.sh")
        self._unit("node-zero.service", exec="/usr/local/bin/set-node-zero.sh")
        environment = "/etc/assisted/rendezvous-host.env"
        self._unit(
            "agent.service",
            pre="/usr/local/bin/extract-agent.sh",
            exec="/usr/local/bin/start-agent.sh",
            environment=environment,
        )
        before = "assisted-service-db.service assisted-service.service"
        self._unit(
            "assisted-service-pod.service",
            pre="/usr/local/bin/get-container-images.sh",
            exec="/usr/bin/podman pod start x",
            requires=before,
            before=before,
        )
        self._unit(
            "assisted-service-db.service",
            exec=f"/usr/bin/podman run --env-file={SHARE}/assisted-db.env x",
            requires="assisted-service-pod.service",
        )
        files = (
            environment,
            f"{SHARE}/assisted-service.env",
            f"{SHARE}/images.env",
            "/etc/assisted/node0",
            f"{SHARE}/agent-images.env",
        )
        options = " ".join(f"--env-file={path}" for path in files)
        self._unit(
            "assisted-service.service",
            pre="/usr/local/bin/configure-assisted-hw-requirements.sh",
            exec=f"/usr/bin/podman run --volume=/opt/agent/tls:/opt/agent/tls:ro {options} x",
            requires="assisted-service-pod.service",
        )
        for unit, mounts in (
            (
                "agent-register-cluster",
                (
                    "--volume=/etc/assisted/manifests:/manifests:ro "
                    "--volume=/etc/assisted/extra-manifests:/extra-manifests:ro"
                ),
            ),
            ("agent-register-infraenv", "--volume=/etc/assisted/manifests:/manifests:ro"),
            ("apply-host-config", "--volume=/etc/assisted/hostconfig:/etc/assisted/hostconfig:ro"),
        ):
            variables = " ".join(f"--env={name}" for name in ("SERVICE_BASE_URL", "USER_AUTH_TOKEN", "INFRA_ENV_ID"))
            self._unit(
                f"{unit}.service",
                pre="/usr/local/bin/wait-for-assisted-service.sh",
                exec=f"/usr/bin/podman run {mounts} {variables} x",
                environment=f"{environment}\nEnvironmentFile={SHARE}/assisted-service.env",
                wanted_by="start-cluster-installation.service",
            )
        self._unit(
            "start-cluster-installation.service",
            exec="/usr/local/bin/start-cluster-installation.sh",
            environment=(
                f"{environment}\nEnvironmentFile={SHARE}/assisted-service.env\n"
                "EnvironmentFile=/usr/local/share/start-cluster/start-cluster.env"
            ),
            requires="apply-host-config.service",
        )

    def _unit(
        self,
        name: str,
        *,
        exec: str,
        pre: str = "",
        environment: str = "",
        requires: str = "",
        before: str = "",
        wanted_by: str = "multi-user.target",
    ) -> None:
        lines = [
            "[Unit]",
            f"Requires={requires}",
            f"Before={before}",
            "[Service]",
            f"EnvironmentFile={environment}",
            f"ExecStartPre={pre}",
            f"ExecStart={exec}",
        ]
        text = "\n".join(
            [*(line for line in lines if not line.endswith("=")), "[Install]", f"WantedBy={wanted_by}", ""]
        )
        self.units[name] = (text, True)

    # ---- writing -----------------------------------------------------------------------------------------------------

    def ignition(self) -> bytes:
        files = [
            {
                "path": path,
                "mode": mode,
                "overwrite": True,
                "user": {"name": "root"},
                "contents": {
                    "source": "data:text/plain;charset=utf-8;base64," + base64.b64encode(text.encode()).decode(),
                    "verification": {},
                },
            }
            for path, (mode, text) in self.files.items()
        ]
        units = [
            {"name": name, "contents": text} | ({"enabled": True} if enabled else {})
            for name, (text, enabled) in self.units.items()
        ]
        document = {
            "ignition": {
                "version": "3.2.0",
                "config": {"replace": {"verification": {}}},
                "proxy": {},
                "security": {"tls": {}},
                "timeouts": {},
            },
            "passwd": {"users": [{"name": "core", "sshAuthorizedKeys": [""]}]},
            "storage": {"files": files, "directories": [{"path": "/etc/assisted/extra-manifests", "mode": 0o644}]},
            "systemd": {"units": units},
        }
        return json.dumps(document).encode()

    def write(self, path: Path) -> Path:
        """The image as a file."""
        base, offset = base_image()
        shutil.copyfile(base, path)
        embed(path, offset, gzip.compress(cpio({"config.ign": self.ignition()})))
        return path


def embed(path: Path, offset: int, area: bytes) -> None:
    """Fill the Ignition area of an image."""
    if len(area) > IGNITION_SIZE:
        raise ValueError("the area is too small")
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(area.ljust(IGNITION_SIZE, b"\0"))


@functools.cache
def base_image() -> tuple[Path, int]:
    """The lab's base image, written once for all tests, and where its images/ignition.img starts."""
    directory = tempfile.mkdtemp(prefix="ztlab-tests-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    path = write_base_image(Path(directory) / "base.iso")
    iso = pycdlib.PyCdlib()
    iso.open(str(path))
    offset = iso.get_record(iso_path="/IMAGES/IGNITION.IMG;1").extent_location() * 2048
    iso.close()
    return path, int(offset)


def cpio(files: dict[str, bytes]) -> bytes:
    """A newc archive."""
    out = io.BytesIO()
    for name, data in [*files.items(), ("TRAILER!!!", b"")]:
        mode = 0o100644 if name != "TRAILER!!!" else 0
        fields = [0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        header = b"070701" + b"".join(f"{field:08X}".encode() for field in fields) + name.encode() + b"\0"
        out.write(header + bytes(-len(header) % 4) + data + bytes(-len(data) % 4))
    return out.getvalue()
