# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan and write the files that a build produces from an Ignition config and a base image: an ISO, a minimal ISO, the
files of a network boot, or a configuration image.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from ...cluster.spec import Cluster, Deployment
from ...common.errors import InvalidInput
from ...common.problems import REQUIRED, Problem
from ...ignition.document import LiveIgnition
from ...image.artifact import Artifact, ArtifactRecord, make_artifact, plan_artifact
from ...image.boot_artifacts import ArtifactNames, boot_artifacts, network_arguments, rootfs_pieces
from ...image.build import ImagePlan, ImageRecord, build_image, plan_image, verify_base
from ...image.composed import Composed
from ...image.iso9660 import ImageFile, Piece
from ...image.kargs import append
from ...image.live import LiveImage
from ...image.trust import UNCHECKED, BaseCheck
from ..state.work_dir import WorkDir
from .base_image import ReadyBase
from .config_medium import FILE_NAME, MediumPlan, plan_medium, write_medium

Kind = Literal["iso", "minimal_iso", "pxe", "config_iso"]
_EXTERNAL = "external"


@dataclasses.dataclass(frozen=True)
class ProductOrder:
    """The product to make: ``names`` of the files, ``arguments`` to add to the kernel's, ``rootfs_url`` where hosts
    find the root file system ("" where that is in the image or not known; ``assumed`` where it was not set),
    ``base_url`` where the files of a network boot will be published.
    """

    kind: Kind
    names: ArtifactNames
    arguments: tuple[str, ...] = ()
    rootfs_url: str = ""
    base_url: str = ""
    assumed: bool = False
    force: bool = False


@dataclasses.dataclass(frozen=True)
class Product:
    """What will be made, against what is there.

    ``path`` is the file that holds the configuration; one of ``image``, ``medium`` and ``artifacts`` makes it.
    ``stale`` are files of an earlier run that would lead hosts astray.
    ``kernel_arguments`` are those that the boot loader of a network boot has to give, ``rootfs_url`` is where hosts
    load the root file system, of ``rootfs_size`` bytes.
    """

    path: Path
    image: ImagePlan | None = None
    medium: MediumPlan | None = None
    artifacts: tuple[Artifact, ...] = ()
    stale: tuple[Path, ...] = ()
    kernel_arguments: str = ""
    rootfs_url: str = ""
    rootfs_size: int = 0
    check: BaseCheck = UNCHECKED

    @property
    def reason(self) -> str:
        """Why the file that holds the configuration is made, or why not."""
        return self._made.reason

    @property
    def _made(self) -> ImagePlan | MediumPlan | Artifact:
        return self.image or self.medium or next(artifact for artifact in self.artifacts if artifact.path == self.path)

    @property
    def changes(self) -> tuple[tuple[Path, str], ...]:
        """Path and reason of every file that will be written."""
        parts = [(self.path, part) for part in (self.image, self.medium) if part is not None] + [
            (artifact.path, artifact) for artifact in self.artifacts
        ]
        return tuple((path, part.reason) for path, part in parts if part.changed)

    @property
    def steps(self) -> tuple[str, ...]:
        """What will be done, a line for each change."""
        return (
            *(f"build {path}: {reason}" for path, reason in self.changes),
            *(f"delete {path}: boot_artifacts_base_url is not set" for path in self.stale),
        )

    @property
    def sha256(self) -> str:
        """Of the file at ``path``, where it is known beforehand."""
        return self._made.sha256

    @property
    def size(self) -> int:
        """Bytes of the file at ``path``."""
        return self._made.size

    def verify(self) -> None:
        """Compare the base image with its expected SHA-256, where that is not done while it is copied.

        Raises :class:`ZeroTouchError`.
        """
        if self.image is not None and self.image.changed:
            verify_base(self.image)
        elif any(artifact.changed for artifact in self.artifacts):
            self.check.verify(self.artifacts[0].base)


@dataclasses.dataclass(frozen=True)
class Made:
    """What was made: SHA-256 ("" = not computed) and size in bytes of the file at the product's path, and section
    ``image`` of the state, as far as it is about files.
    """

    sha256: str
    size: int
    section: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def kind_of(kind: Kind, cluster: Cluster) -> Kind:
    """What an ISO has to be: agent-config.yaml may ask for the minimal one, and platform external has it where its root
    file system is published.
    """
    minimal = cluster.minimal_iso or (cluster.platform == _EXTERNAL and cluster.boot_artifacts_base_url)
    return "minimal_iso" if kind == "iso" and minimal else kind


def path_of(work_dir: WorkDir, kind: Kind, names: ArtifactNames) -> Path:
    """The file that holds the configuration."""
    if kind == "pxe":
        return work_dir.boot_artifacts / names.initrd
    return work_dir.images / (FILE_NAME if kind == "config_iso" else f"{names.prefix}.{names.arch}.iso")


def order(
    kind: Kind, names: ArtifactNames, base: ReadyBase, base_url: str, arguments: tuple[str, ...], *, force: bool
) -> ProductOrder:
    """What to make. Raises :class:`InvalidInput` when it is not known where hosts find the root file system of a
    minimal ISO.
    """
    if kind not in ("minimal_iso", "pxe"):
        return ProductOrder(kind, names, arguments, force=force)
    rootfs_url = f"{base_url}/{names.rootfs}" if base_url else base.rootfs_url(names.arch)
    if kind == "minimal_iso" and not rootfs_url:
        detail = (
            "a minimal ISO needs the URL below which its root file system is published; or give "
            "openshift_base_image.rootfs_url"
        )
        raise InvalidInput([Problem("bootArtifactsBaseURL", REQUIRED, detail, layer="ours", check="image")])
    return ProductOrder(
        kind, names, arguments, rootfs_url, base_url, assumed=not base_url and not base.provided.rootfs_url, force=force
    )


def plan_product(
    base: LiveImage,
    work_dir: WorkDir,
    wanted: ProductOrder,
    ignition: LiveIgnition,
    before: Mapping[str, Any],
    check: BaseCheck,
) -> Product:
    """Compare what is wanted with what is there; ``before`` is what an earlier :class:`Made` left.

    Raises :class:`ZeroTouchError`.
    """
    path = path_of(work_dir, wanted.kind, wanted.names)
    if wanted.kind == "config_iso":
        return Product(path, medium=plan_medium(path, ignition, force=wanted.force))
    if wanted.kind == "pxe":
        return _network_boot(base, path, wanted, ignition, before, check)
    image = plan_image(
        base.path,
        path,
        ignition.encode(),
        wanted.arguments,
        rootfs_url=wanted.rootfs_url,
        record=ImageRecord.from_state(before),
        check=check,
        parts={file.path: len(file.content) for file in ignition.files},
        force=wanted.force,
    )
    if not wanted.rootfs_url:
        return Product(path, image=image, check=check)
    with ImageFile(base.path) as file:
        rootfs = rootfs_pieces(file)
        beside = _artifacts(
            file,
            {work_dir.boot_artifacts / wanted.names.rootfs: rootfs} if wanted.base_url else {},
            before,
            wanted.force,
        )
        size = Composed(file, rootfs).size
    return Product(path, image=image, artifacts=beside, rootfs_url=wanted.rootfs_url, rootfs_size=size, check=check)


def _network_boot(
    base: LiveImage,
    path: Path,
    wanted: ProductOrder,
    ignition: LiveIgnition,
    before: Mapping[str, Any],
    check: BaseCheck,
) -> Product:
    arguments = network_arguments(base, wanted.arguments)
    with ImageFile(base.path) as file:
        files = boot_artifacts(file, base, ignition.encode(), wanted.names, arguments, wanted.base_url)
        artifacts = _artifacts(
            file, {path.parent / name: pieces for name, pieces in files.items()}, before, wanted.force
        )
    script = path.parent / wanted.names.script
    stale = (script,) if not wanted.base_url and script.exists() else ()
    size = next(artifact.size for artifact in artifacts if artifact.path.name == wanted.names.rootfs)
    complete = append(arguments, [f"coreos.live.rootfs_url={wanted.rootfs_url}"]) if wanted.rootfs_url else arguments
    return Product(
        path,
        artifacts=artifacts,
        stale=stale,
        kernel_arguments=complete,
        rootfs_url=wanted.rootfs_url,
        rootfs_size=size,
        check=check,
    )


def _artifacts(
    base: ImageFile, wanted: Mapping[Path, tuple[Piece, ...]], before: Mapping[str, Any], force: bool
) -> tuple[Artifact, ...]:
    records = before.get("artifacts") or {}
    return tuple(
        plan_artifact(base, path, pieces, ArtifactRecord.from_state(records.get(path.name) or {}), force=force)
        for path, pieces in wanted.items()
    )


def about_boot(wanted: ProductOrder, deployment: Deployment) -> list[str]:
    """Warnings about what hosts need before anything of the configuration is in force: the root file system, which the
    initramfs loads with addresses from DHCP; and about kernel arguments that do not reach the live system.
    """
    if wanted.kind == "config_iso" and deployment.cluster.live_kernel_arguments:
        return [
            (
                "live_kernel_arguments has no effect on a configuration image: set the kernel arguments where the live "
                "system is booted from."
            )
        ]
    if wanted.kind not in ("minimal_iso", "pxe"):
        return []
    found = []
    if wanted.assumed and wanted.rootfs_url:
        found.append(
            f"Hosts load their root file system from where it is published, {wanted.rootfs_url}: they have to "
            "reach "
            "that when they boot."
        )
    if fixed := [host.name for host in deployment.hosts if host.network_config]:
        found.append(
            f"The network configuration of {', '.join(fixed)} is in force only after the root file system was "
            "loaded: "
            "until then DHCP is needed."
        )
    return found


def make_product(product: Product, *, checksum: bool = True) -> Made:
    """Carry out the plan; what is unchanged is left alone.

    Raises :class:`ZeroTouchError`; a file is then as it was or whole.
    """
    if product.medium is not None:
        write_medium(product.medium)
        record = {"path": str(product.path), "sha256": product.medium.sha256, "size": product.medium.size}
        return Made(product.medium.sha256, product.medium.size, record)
    built = build_image(product.image, checksum=checksum) if product.image is not None else None
    if product.image is None or not product.image.changed:
        product.verify()  # an image that is built has seen to that
    for path in product.stale:
        path.unlink(missing_ok=True)
    made = {artifact.path.name: make_artifact(artifact, checksum=checksum) for artifact in product.artifacts}
    section: dict[str, Any] = {
        **(built.to_state() if built else {"path": str(product.path)}),
        **({"artifacts": made} if made else {}),
    }
    if product.rootfs_url:
        section["rootfs"] = {"url": product.rootfs_url, "size": product.rootfs_size}
    if built is not None:
        return Made(built.sha256, built.size, section)
    of_config = made[product.path.name]
    return Made(of_config["sha256"], of_config["size"], section)


def files_of(product: Product | None, made: Made | None, base_size: int) -> dict[str, Any]:
    """What a module returns of the files: as they were ``made``, else what is known beforehand; without a product that
    is the base's size.
    """
    digests = made.section.get("artifacts") or {} if made else {}
    image = made or product
    return {
        "sha256": image.sha256 if image else "",
        "size": image.size if image else base_size,
        "boot_artifacts": [
            {
                "path": str(one.path),
                "size": one.size,
                "sha256": digests.get(one.path.name, {}).get("sha256", one.sha256),
            }
            for one in (product.artifacts if product else ())
        ],
        "rootfs_url": product.rootfs_url if product else "",
        "kernel_arguments": product.kernel_arguments if product else "",
    }
