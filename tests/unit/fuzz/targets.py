# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The targets of the fuzz tests. Each target mutates one kind of remote data with a random source, and reads it with
the code that reads it in a run.
"""

from __future__ import annotations

import base64
import contextlib
import copy
import datetime
import functools
import io
import json
import lzma
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.hosts.match import registered
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.inspect import ServiceQuery, look
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.narration import changes, read_view
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.service import AssistedService
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions, BootRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import ForeignUrl, HttpClient, Response
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import Redactor
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.tar_stream import Budget
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.preflight.datagrams import (
    NoAnswer,
    dns_query,
    read_dns,
    read_ntp,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.encryption import Cost, Keys
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.http_store import HttpStore
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.lease import Lease
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.lineage import Mark
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.record import (
    read_record,
    seal_record,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.run import PlaybookRun
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.snapshot import Snapshot, unpack
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise import observe
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.archive import redact_archive
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents import clusters, match, model, request
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.flat import flatten
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.infra_env import image as infra_env_image
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install.status import read_status
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster.status import summary
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.cpio import (
    Member,
    gzip,
    read_members,
    write_archive,
    xz,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.live import read_live_image
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.config import KubeConfig
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.remote_config import resolve_remote
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.keyfiles import examine_network_config
from ansible_collections.zerotouch.openshift.plugins.module_utils.nodes import approval, csrs
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.head import (
    BadHead,
    parse_head,
    parse_ranges,
    split_head,
)
from ansible_collections.zerotouch.openshift.tests.support import live_image as synthetic
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.hostile import archives, kubeconfigs, redfish
from ansible_collections.zerotouch.openshift.tests.support.hub import agents as made
from ansible_collections.zerotouch.openshift.tests.unit.fuzz import mutate, seeds
from ansible_collections.zerotouch.openshift.tests.unit.nodes import requests

# The least cost that is accepted.
_STATE_KEYS = Keys("correct horse battery", Cost(n=1 << 14, r=8, p=1))
NOW = datetime.datetime(2026, 11, 21, 12, 0, tzinfo=datetime.UTC)
Answer = Callable[[str, str], "tuple[int, dict[str, str], bytes]"]


class Wire:
    """Stands between HttpClient and the network: requests end at ``answer``."""

    def __init__(self) -> None:
        self.answer: Answer = lambda method, path: (404, {}, b"{}")

    def request(self, client: HttpClient, method: str, path: str, **_options: Any) -> Response:
        if not client.is_own(path):
            raise ForeignUrl(client.service, client.base_url, client.url(path))
        status, headers, body = self.answer(method, client.url(path).removeprefix(client.base_url.rstrip("/")))
        return Response(status, headers, body)


_REFUSAL = {
    "error": {
        "code": "a.b",
        "@Message.ExtendedInfo": [
            {"MessageId": "a.b", "Message": "m", "MessageArgs": ["x"], "RelatedProperties": ["#/y"]}
        ],
    }
}


def redfish_resources(random_: random.Random, wire: Wire, _tmp: Path) -> None:
    tree = redfish.honest()
    broken = random_.sample(sorted(tree), random_.choice((1, 1, 2)))
    bodies = {
        path: mutate.body(random_, tree[path]) if path in broken else json.dumps(tree[path]).encode() for path in tree
    }
    task = mutate.body(
        random_, {"TaskState": "Completed", "Messages": [{"Message": "m", "MessageId": "a.b"}], "@odata.id": "/task"}
    )
    refusal = mutate.body(random_, _REFUSAL)
    odd = str(random_.choice(mutate.ODD)).encode("ascii", "ignore").decode().replace("\n", "").replace("\x00", "")

    def answer(method: str, path: str) -> tuple[int, dict[str, str], bytes]:
        if method == "POST" and path == redfish.SESSIONS:
            return 201, {"x-auth-token": redfish.TOKEN, "location": f"{redfish.SESSIONS}/1"}, b"{}"
        if method == "GET":
            other = (200, {}, task) if path == "/task" else (404, {}, refusal)
            return (200, {"etag": odd}, bodies[path]) if path in bodies else other
        status = random_.choice((200, 202, 204, 400, 409, 412, 500))
        return status, {"location": "/task", "retry-after": odd}, task if status < 300 else refusal

    wire.answer = answer
    asked = BootRequest(
        "node-1",
        "redfish-virtualmedia://bmc.example.com" + random_.choice(("", redfish.SYSTEM)),
        "u",
        "p",
        mac_addresses=(redfish.MAC,),
        image_url="http://192.0.2.1/a/b.iso",
    )
    state = random_.choice(("booted", "on", "off", "ejected"))
    result = boot_hosts([asked], state, BmcOptions(clock=Clock(tick=0.001)), check_mode=random_.random() < 0.3)[0]
    assert len(json.dumps(result.as_dict())) < 100_000


def assisted_answers(random_: random.Random, wire: Wire, _tmp: Path) -> None:
    documents = {
        "infra-envs": [seeds.INFRA_ENV],
        "clusters": [seeds.CLUSTER],
        f"clusters/{seeds.CLUSTER_ID}": seeds.CLUSTER,
        f"infra-envs/{seeds.INFRA_ENV_ID}/hosts": [seeds.HOST],
        "events": [seeds.EVENT],
        "component-versions": {"versions": {"assisted-installer": "x"}, "release_tag": "v2"},
        "openshift-versions": {
            "4.22.0": {"display_name": "4.22.0", "cpu_architectures": ["x86_64"], "support_level": "production"}
        },
    }
    inside = copy.deepcopy(documents)
    if random_.random() < 0.4:  # JSON within strings
        of_cluster: Any = inside[f"clusters/{seeds.CLUSTER_ID}"]
        of_infra_env: Any = inside[f"infra-envs/{seeds.INFRA_ENV_ID}/hosts"]
        for host in (of_cluster["hosts"][0], of_infra_env[0]):
            host["inventory"] = mutate.body(random_, seeds.INVENTORY).decode("utf-8", "replace")
            host["validations_info"] = mutate.body(random_, seeds.VALIDATIONS).decode("utf-8", "replace")
    broken = random_.sample(sorted(documents), random_.choice((1, 2)))

    def answer(method: str, path: str) -> tuple[int, dict[str, str], bytes]:
        name = path.partition("?")[0].removeprefix("/api/assisted-install/v2/")
        document = inside.get(name, {})
        return 200, {}, mutate.body(random_, document) if name in broken else json.dumps(document).encode()

    wire.answer = answer
    service = AssistedService("http://service.example.com", clock=Clock(tick=0.001))
    json.dumps(look(service, ServiceQuery(events=10, validations="all", inventory=True, versions=True), forks=1))
    cluster = service.cluster(seeds.CLUSTER_ID)
    changes(None, read_view(cluster))
    changes(read_view(seeds.CLUSTER), read_view(cluster))
    for host in service.hosts(seeds.INFRA_ENV_ID):
        registered(host)


def _kube(wire: Wire, answer: Answer) -> KubeClient:
    wire.answer = answer
    return KubeClient(
        KubeConfig("https://api.example.com", authorization="Bearer x"), clock=Clock(tick=0.001), attempts=2
    )


def kubernetes_objects(random_: random.Random, wire: Wire, _tmp: Path) -> None:
    kinds = random_.choice(sorted(_READERS))
    items = [copy.deepcopy(seed) for seed in _seeds()[kinds]]
    page = {"kind": "ThingList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": items}
    body = mutate.body(random_, page)
    client = _kube(wire, lambda method, path: (200, {"date": str(random_.choice(mutate.ODD))}, body))
    found = client.list(f"/apis/x.example.com/v1/namespaces/lab/{kinds}")
    client.server_time()
    _READERS[kinds](found)
    one = mutate.body(random_, items[0])
    client = _kube(wire, lambda method, path: (200, {}, one))
    if (observed := client.find(f"/apis/x.example.com/v1/namespaces/lab/{kinds}/a")) is not None:
        _READERS[kinds]([observed])


def _read_agents(found: list[dict[str, Any]]) -> None:
    agents = [model.read_agent(item) for item in found]
    hosts = [{"name": "master-0", "mac_addresses": [made.mac(1)]}]
    match.match_hosts(request.host_requests(hosts, "lab"), agents)
    for agent in agents:
        json.dumps(flatten(agent))


def _read_infra_envs(found: list[dict[str, Any]]) -> None:
    for item in found:
        clusters.read_infra_env(item)
        infra_env_image.judge(item, NOW, looked=0.0, cooldown=30.0)
        infra_env_image.boot_artifacts(item)
        infra_env_image.infra_env_id(item)


def _read_installs(found: list[dict[str, Any]]) -> None:
    for item in found:
        read_status(item)
        clusters.read_cluster(model.ClusterRef("lab", "demo"), item, item)


def _read_nodes(found: list[dict[str, Any]]) -> None:
    for item in found:
        observe.read_node(item)
        approval.read_node(item)


def _each(*readers: Callable[[dict[str, Any]], object]) -> Callable[[list[dict[str, Any]]], None]:
    def read(found: list[dict[str, Any]]) -> None:
        for item in found:
            for reader in readers:
                reader(item)

    return read


_READERS: dict[str, Callable[[list[dict[str, Any]]], None]] = {
    "agents": _read_agents,
    "infraenvs": _read_infra_envs,
    "agentclusterinstalls": _read_installs,
    "nodes": _read_nodes,
    "clusterversions": _each(lambda item: observe.read_cluster_version(item, NOW)),
    "clusteroperators": _each(lambda item: observe.read_operator(item, NOW)),
    "hostedclusters": _each(lambda item: json.dumps(summary(item, "clusters", "guest"))),
}


@functools.cache
def _seeds() -> dict[str, list[dict[str, Any]]]:
    return {
        "agents": [made.agent(1), made.agent(2, state="installed")],
        "infraenvs": [seeds.INFRA_ENV_OBJECT],
        "agentclusterinstalls": [
            made.cluster_objects(installed=True)["agentclusterinstalls"],
            made.cluster_objects()["agentclusterinstalls"],
        ],
        "nodes": [seeds.NODE],
        "clusterversions": [seeds.CLUSTER_VERSION],
        "clusteroperators": [seeds.CLUSTER_OPERATOR],
        "hostedclusters": [seeds.HOSTED_CLUSTER],
    }


def kubernetes_watch(random_: random.Random, wire: Wire, _tmp: Path) -> None:
    from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.answers import read_events

    lines = [
        json.dumps({"type": kind, "object": _seeds()["agents"][0]}).encode()
        for kind in ("ADDED", "MODIFIED", "DELETED", "BOOKMARK")
    ]
    lines[random_.randrange(4)] = mutate.body(random_, {"type": "ADDED", "object": _seeds()["agents"][1]})
    text = b"\n".join(lines) + b"\n"
    _read_agents(
        [
            event.object
            for event in read_events(iter([text[:1000], text[1000:]]), "x", "/api/v1/agents")
            if event.type in ("ADDED", "MODIFIED")
        ]
    )


def kubeconfig(random_: random.Random, _wire: Wire, _tmp: Path) -> None:
    text = kubeconfigs.dumped(mutate.document(random_, kubeconfigs.honest()))
    config = resolve_remote(mutate.data(random_, text) if random_.random() < 0.4 else text, "kubeconfig of x")
    assert config.proxy is None and config.renew is None and config.server.startswith("https://")


@functools.cache
def _iso() -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        return Path(synthetic.make_iso(Path(directory) / "base.iso")).read_bytes()


def iso(random_: random.Random, _wire: Wire, tmp: Path) -> None:
    image = bytearray(_iso())
    # Descriptors and directories are at the beginning; the rest is content.
    for start, length in (
        (16 * 2048, 2048),
        (random_.randrange(16, 60) * 2048, 2048),
        (random_.randrange(len(image) // 2048) * 2048, 2048),
    ):
        if random_.random() < 0.6:
            piece = mutate.data(random_, bytes(image[start : start + length]))
            image[start : start + min(len(piece), length)] = piece[:length]
    path = tmp / "fuzz.iso"
    path.write_bytes(image if random_.random() < 0.9 else image[: random_.randrange(len(image))])
    json.dumps(read_live_image(path).report(show_secrets=True)).encode()


@functools.cache
def _areas() -> list[bytes]:
    import zstandard

    plain = write_archive(
        [Member("config.ign", b"{}" * 500), Member("etc/coreos-firstboot-network/a.nmconnection", b"[connection]")]
    )
    return [plain, gzip(plain), xz(plain), zstandard.ZstdCompressor().compress(plain)]


def cpio(random_: random.Random, _wire: Wire, _tmp: Path) -> None:
    area = b"".join(random_.choices(_areas(), k=random_.choice((1, 2))))
    read_members(mutate.data(random_, area) + bytes(random_.choice((0, 3, 512))))


@functools.cache
def _tars() -> list[bytes]:
    import gzip as gzip_

    inner = archives.tar_of({"a.log": b"secret-word" * 50, "b.log": b"x" * 3000})
    outer = archives.tar_of({"in.tar.gz": gzip_.compress(inner), "in.tar": inner, "c" * 150: b"y"})
    return [inner, outer, gzip_.compress(outer)]


def tar(random_: random.Random, _wire: Wire, _tmp: Path) -> None:
    redact_archive(
        io.BytesIO(mutate.data(random_, random_.choice(_tars()))),
        io.BytesIO(),
        Redactor(["secret-word"]),
        Budget(50 << 20),
    )


def nmstate(random_: random.Random, _wire: Wire, _tmp: Path) -> None:
    document = mutate.document(random_, seeds.NMSTATE)
    if isinstance(document, dict):
        examine_network_config(document)


@functools.cache
def _csrs() -> list[dict[str, Any]]:
    return [requests.client(), requests.serving()]


def csr(random_: random.Random, _wire: Wire, _tmp: Path) -> None:
    found = copy.deepcopy(random_.choice(_csrs()))
    pem = base64.b64decode(found["spec"]["request"])
    if random_.random() < 0.7:
        lines = pem.decode().strip().splitlines()
        der = mutate.data(random_, base64.b64decode("".join(lines[1:-1])))
        pem = (
            b"-----BEGIN CERTIFICATE REQUEST-----\n" + base64.encodebytes(der) + b"-----END CERTIFICATE REQUEST-----\n"
        )
    else:
        pem = mutate.data(random_, pem)
    found["spec"]["request"] = base64.b64encode(pem).decode()
    body = (
        mutate.body(random_, {"metadata": {}, "items": [found]})
        if random_.random() < 0.5
        else json.dumps({"metadata": {}, "items": [found]}).encode()
    )
    client = _kube(_wire, lambda method, path: (200, {}, body))
    items = client.list("/apis/certificates.k8s.io/v1/certificatesigningrequests")
    nodes = [csrs.CsrNode("worker-0", frozenset({"192.0.2.10"}), False)]
    csrs.decide(items, nodes, [csrs.Expected("worker-0")])


_HEADS = [
    b"GET /0123/agent.iso HTTP/1.1\r\nHost: x\r\nRange: bytes=0-99, 200-, -5\r\nConnection: keep-alive\r\n\r\n",
    b"HEAD http://x/0123/agent.iso HTTP/1.0\nContent-Length: 0\nTransfer-Encoding: chunked\n\nGET / HTTP/1.1\r\n",
]


def http_head(random_: random.Random, _wire: Wire, _tmp: Path) -> None:
    data = mutate.data(random_, random_.choice(_HEADS))
    try:
        found = split_head(data)
        request_ = parse_head(found[0] if found else data)
    except BadHead:
        return
    for offset, length in parse_ranges(request_.headers.get("range", ""), 1000) or ():
        assert offset >= 0 and 0 < length <= 1000 - offset


_DNS = dns_query("api.demo.example.com", 1, 7)
_DATAGRAMS = (
    # An alias and an address.
    b"".join(
        [
            _DNS[:2],
            bytes.fromhex("81800001000200000000"),
            _DNS[12:],
            bytes.fromhex("c00c000500010000003c000603777777c00cc00c000100010000003c00040a000005"),
        ]
    ),
    b"\x24\x02" + bytes(38) + b"\xe9\x00\x00\x00\x80\x00\x00\x00",
)


def datagrams(random_: random.Random, _wire: Wire, _tmp: Path) -> None:
    data = mutate.data(random_, random_.choice(_DATAGRAMS))
    with contextlib.suppress(NoAnswer):
        assert all(":" not in address for address in read_dns(data, _DNS))
    with contextlib.suppress(NoAnswer):
        read_ntp(data)


@functools.cache
def _records() -> list[bytes]:
    found = Snapshot(
        {
            "state.json": b'{"format": 1, "machines": {"a": {"state": "booted"}}}',
            "auth/kubeconfig": b"x" * 200,
            "config/a.yaml": b"a: b",
        }
    )
    return [seal_record(found, Mark("a" * 32, 7, found.digest), keys, "demo") for keys in (None, _STATE_KEYS)]


def stored_state(random_: random.Random, wire: Wire, _tmp: Path) -> None:
    keys = random_.choice((None, _STATE_KEYS))
    line, _mark, body = _records()[0 if keys is None else 1].partition(b"\n")
    header = mutate.body(random_, json.loads(line)) if random_.random() < 0.4 else line
    record = header + b"\n" + (mutate.data(random_, body) if random_.random() < 0.4 else body)
    if keys is None:  # behind the checksums
        unpack(lzma.compress(mutate.data(random_, lzma.decompress(body)), preset=0))
    head: Any = {
        "format": 1,
        "lease": Lease(PlaybookRun("1" * 32, "control", "boot", 7, 0), "boot_hosts", "2026-11-21T12:00:00Z").as_dict(),
    }
    first = mutate.body(random_, head) if random_.random() < 0.4 else json.dumps(head).encode()
    wire.answer = lambda method, path: (200, {"etag": '"1"'}, first + b"\n" + record)
    store = HttpStore(HttpClient("store", "http://store.example.com/x"), "http://store.example.com/x", Clock())
    read_record(store.read(), keys, "demo", store.name)


TARGETS: dict[str, Callable[[random.Random, Wire, Path], None]] = {
    "redfish": redfish_resources,
    "assisted": assisted_answers,
    "kubernetes": kubernetes_objects,
    "watch": kubernetes_watch,
    "kubeconfig": kubeconfig,
    "iso": iso,
    "cpio": cpio,
    "tar": tar,
    "nmstate": nmstate,
    "csr": csr,
    "http_head": http_head,
    "datagrams": datagrams,
    "stored state": stored_state,
}
