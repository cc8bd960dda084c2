# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a real kube-apiserver with its etcd, if KUBEBUILDER_ASSETS names a directory that contains both programs.

The result replaces that of :func:`ztlab.kubeapi.hub.hub_api`: it has the same definitions, the same admission functions
(called through webhooks), and the same methods to start and stop. Clients connect to it through :mod:`.relay`.
Kubernetes' controllers do not run; :mod:`.janitor` collects garbage.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ctypes
import dataclasses
import datetime
import json
import os
import shutil
import signal
import socket
import ssl
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aiohttp
import yaml

from ..clock import LabClock
from ..faults import Faults
from . import crd
from .certificates import Pair, Signer
from .hub import CRDS, NAMESPACES
from .janitor import Janitor
from .relay import Relay
from .storage import Admission
from .trouble import Trouble
from .webhook import Webhooks

PROGRAMS = ("etcd", "kube-apiserver")
START_SECONDS = 60.0
PR_SET_PDEATHSIG = 1


def assets() -> Path | None:
    """The directory of KUBEBUILDER_ASSETS when it holds what is needed."""
    text = os.environ.get("KUBEBUILDER_ASSETS", "")
    directory = Path(text)
    return directory if text and all(os.access(directory / name, os.X_OK) for name in PROGRAMS) else None


@dataclasses.dataclass(frozen=True)
class Tls:
    """PEM files of a server: its certificate and key, and the CA of the client certificates that it takes."""

    certificate: Path
    key: Path
    ca: Path
    client_ca: Path


class StartError(RuntimeError):
    """One of the programs ended or did not become ready; the message has the last lines of its log."""


class RealApi:
    """One API server. ``admission`` and ``mutation`` are asked for custom resources, as those of the lab's own
    server.
    """

    def __init__(
        self,
        programs: Path,
        directory: Path,
        crd_dirs: Sequence[Path] = (CRDS,),
        *,
        clock: LabClock | None = None,
        faults: Faults | None = None,
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.programs, self.directory, self.crd_dirs = programs, directory, tuple(crd_dirs)
        self.admission: list[Admission] = []
        self.mutation: list[Admission] = []
        self.trouble = Trouble(faults)
        self._relay = Relay(
            self.trouble, clock.utcnow if clock is not None else lambda: datetime.datetime.now(datetime.UTC)
        )
        self._behind = 0  # the port of kube-apiserver itself
        self.host, self.port = "", 0
        self.ca = ""
        self._signer = Signer.create("real-apiserver-signer")
        self._admin = self._signer.client("system:admin", ["system:masters"])
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._session: aiohttp.ClientSession | None = None
        self._webhooks = Webhooks(self.admission, self.mutation)
        self._janitor: Janitor | None = None

    # what clients need

    @property
    def requests(self) -> Counter[str]:
        """Calls by method and resource."""
        return self._relay.requests

    @property
    def unharmed(self) -> set[str]:
        """Callers that faults leave alone unless they name them: the programs of the lab itself."""
        return self.trouble.unharmed

    @property
    def url(self) -> str:
        return f"https://{self.host}:{self.port}"

    @property
    def session(self) -> aiohttp.ClientSession:
        """An administrator's HTTP session with kube-apiserver itself."""
        if self._session is None:
            raise RuntimeError("the API server is not started")
        return self._session

    def kubeconfig(self) -> str:
        """An administrator's kubeconfig."""

        def text(data: bytes) -> str:
            return base64.b64encode(data).decode()

        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": "hub", "cluster": {"server": self.url, "certificate-authority-data": text(self.ca.encode())}}
            ],
            "contexts": [{"name": "hub", "context": {"cluster": "hub", "user": "admin"}}],
            "current-context": "hub",
            "users": [
                {
                    "name": "admin",
                    "user": {
                        "client-certificate-data": text(self._admin.certificate),
                        "client-key-data": text(self._admin.key),
                    },
                }
            ],
        }
        return str(yaml.safe_dump(document, sort_keys=False))

    # life

    async def start(self, host: str, port: int = 0, tls: Tls | None = None) -> None:
        """Start both programs and install the definitions; what an earlier start stored is there again.

        Raises StartError.
        """
        try:
            await self._start(host, port, tls)
        except BaseException:
            await self.stop()
            raise

    async def _start(self, host: str, port: int, tls: Tls | None) -> None:
        self.host, self.port, self._behind = host, port or free_port(host), free_port("127.0.0.1")
        files = self._tls_files(tls)
        self.ca = files.ca.read_text(encoding="ascii")
        etcd = free_port("127.0.0.1")
        await self._run("etcd", *etcd_arguments(self.directory / "etcd", etcd, free_port("127.0.0.1")))
        await self._run("kube-apiserver", *self._apiserver_arguments(files, etcd))
        admin, anonymous = self._client_context(), self._client_context()
        admin.load_cert_chain(self._write("admin.pem", self._admin.certificate + self._admin.key))
        behind = f"https://127.0.0.1:{self._behind}"
        self._session = aiohttp.ClientSession(behind, connector=aiohttp.TCPConnector(limit=0, ssl=admin))
        await self._until_ready()
        await self._install()
        self._janitor = Janitor(self.session)
        self._janitor.start()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(files.certificate, files.key)
        context.verify_mode = ssl.CERT_OPTIONAL
        context.load_verify_locations(cafile=str(files.client_ca))
        await self._relay.start(self.host, self.port, context, behind, admin, anonymous)

    def _client_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cadata=self.ca)
        context.check_hostname = False  # the lab reaches its servers by address, whatever their names
        return context

    async def stop(self) -> None:
        await self._relay.stop()
        if self._janitor is not None:
            await self._janitor.stop()
            self._janitor = None
        if self._session is not None:
            await self._session.close()
            self._session = None
        await self._webhooks.stop()
        for name in reversed(PROGRAMS):
            process = self._processes.pop(name, None)
            if process is not None:
                await _end(process)

    def _tls_files(self, tls: Tls | None) -> Tls:
        """Those given, with the server's own client CA beside the given one; else fresh ones."""
        if tls is not None:
            both = tls.client_ca.read_bytes() + b"\n" + self._signer.pem
            return dataclasses.replace(tls, client_ca=self._write("client-ca.crt", both))
        pair = self._signer.server([self.host, "localhost", "kubernetes", "kubernetes.default.svc"])
        ca = self._write("ca.crt", self._signer.pem)
        return Tls(self._write("server.crt", pair.certificate), self._write("server.key", pair.key), ca, ca)

    def _write(self, name: str, data: bytes) -> Path:
        path = self.directory / name
        path.touch(mode=0o600)
        path.write_bytes(data)
        return path

    def _apiserver_arguments(self, files: Tls, etcd: int) -> list[str]:
        accounts = self.directory / "service-accounts.key"
        if not accounts.exists():
            self._write(accounts.name, Signer.create("service-accounts").key_pem)
        return [
            f"--etcd-servers=http://127.0.0.1:{etcd}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={self._behind}",
            "--cert-dir=" + str(self.directory / "certificates"),
            f"--tls-cert-file={files.certificate}",
            f"--tls-private-key-file={files.key}",
            f"--client-ca-file={files.client_ca}",
            f"--service-account-key-file={accounts}",
            f"--service-account-signing-key-file={accounts}",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-cluster-ip-range=172.30.0.0/16",
            "--authorization-mode=RBAC",
            "--disable-admission-plugins=ServiceAccount",
            "--endpoint-reconciler-type=none",
            "--shutdown-delay-duration=0",
        ]

    async def _run(self, name: str, *arguments: str) -> None:
        with (self.directory / f"{name}.log").open("ab") as log:
            self._processes[name] = await asyncio.create_subprocess_exec(
                str(self.programs / name),
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.directory,
                preexec_fn=_die_with_the_lab,
            )

    async def _until_ready(self) -> None:
        deadline = asyncio.get_running_loop().time() + START_SECONDS
        while asyncio.get_running_loop().time() < deadline:
            for name, process in self._processes.items():
                if process.returncode is not None:
                    raise StartError(f"{name} ended with {process.returncode}: {self._last_lines(name)}")
            with contextlib.suppress(aiohttp.ClientError):
                async with self.session.get("/readyz") as response:
                    if response.status == 200:
                        return
            await asyncio.sleep(0.2)
        raise StartError(
            f"kube-apiserver was not ready after {START_SECONDS:g} s: {self._last_lines('kube-apiserver')}"
        )

    def _last_lines(self, name: str) -> str:
        return " | ".join(
            (self.directory / f"{name}.log").read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
        )

    # content

    async def _install(self) -> None:
        definitions = list(crd.load(*self.crd_dirs))
        for definition in definitions:
            await self.add_definition(definition)
        for name in NAMESPACES:
            await self._put("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        groups = sorted({definition["spec"]["group"] for definition in definitions})
        if groups and (self.admission or self.mutation):
            for path, body in await self._webhooks.start(self.host, groups):
                await self._put(path, body)

    async def add_definition(self, definition: dict[str, Any], seconds: float = 20.0) -> None:
        """Install one definition and wait until it is served. Raises StartError when it is refused."""
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        await self._put(path, definition)
        deadline = asyncio.get_running_loop().time() + seconds
        spec = definition["spec"]
        version = next(item["name"] for item in spec["versions"] if item["served"])
        while asyncio.get_running_loop().time() < deadline:
            async with self.session.get(
                f"/apis/{spec['group']}/{version}/{spec['names']['plural']}?limit=1"
            ) as response:
                if response.status == 200:
                    return
            await asyncio.sleep(0.1)
        raise StartError(f"{definition['metadata']['name']} is not served {seconds:g} s after it was installed")

    async def _put(self, path: str, body: dict[str, Any]) -> None:
        """Server-side apply: it may be there from an earlier start."""
        target = f"{path}/{body['metadata']['name']}?fieldManager=ztlab&force=true"
        async with self.session.patch(
            target, data=json.dumps(body), headers={"Content-Type": "application/apply-patch+yaml"}
        ) as response:
            if response.status not in (200, 201):
                text = await response.text()
                raise StartError(f"{body['kind']} {body['metadata']['name']}: {response.status} {text}")


def etcd_arguments(directory: Path, client: int, peer: int) -> list[str]:
    url, peers = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
    return [
        f"--data-dir={directory}",
        f"--listen-client-urls={url}",
        f"--advertise-client-urls={url}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=default={peers}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def free_port(host: str) -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def _die_with_the_lab() -> None:
    """Runs in the child: the kernel ends it when the lab is killed, so that nothing stays behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), 10)
        except TimeoutError:
            process.kill()
            await process.wait()


def remove(directory: Path) -> None:
    """What a stopped server leaves behind."""
    shutil.rmtree(directory, ignore_errors=True)


__all__ = ["Pair", "RealApi", "StartError", "Tls", "assets", "remove"]
