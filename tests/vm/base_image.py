# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build a live ISO that boots: Debian's kernel and busybox, laid out as CoreOS lays out its own
(coreos/coreos-assembler src/cmd-buildextend-live).

ISO 9660 with Rock Ridge, isolinux for BIOS and GRUB in a FAT image for UEFI, embed areas for Ignition and kernel
arguments, the root file system as a separate squashfs, and ``coreos/miniso.dat``.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..support.live_image import MARKER, fill_miniso

VOLUME_ID = "rhcos-422.96.202611010000-0"
KARGS_SIZE = 1139
IGNITION_SIZE = 262144
MINISO_SIZE = 1 << 20
GUEST = Path(__file__).parent / "guest"
# The medium (SATA, IDE), the NIC, disks and the file systems. Dependencies come from the modules themselves.
MODULES = (
    *("virtio_pci", "virtio_net", "virtio_blk", "virtio_scsi", "ahci", "ata_piix", "sd_mod", "sr_mod"),
    *("isofs", "loop", "squashfs", "overlay"),
)
PROGRAMS = ("bash", "curl", "jq")
SYSLINUX = Path("/usr/lib/ISOLINUX"), Path("/usr/lib/syslinux/modules/bios")
GRUB = Path("/usr/lib/grub/x86_64-efi")
_GRUB_MODULES = (
    "iso9660 fat part_gpt part_msdos search search_label search_fs_file normal linux configfile echo test all_video "
    "terminal serial boot"
).split()


def run(*command: str | Path, cwd: Path | None = None, text: str | None = None) -> None:
    """Run a program that must succeed; its output is in the error."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, input=text, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")


def build(path: Path, kernel: Path, work: Path, arguments: Sequence[str]) -> Path:
    """Write the ISO. ``kernel`` is an unpacked kernel package, ``arguments`` are its default kernel arguments besides
    those of every live system.
    """
    tree = work / "iso"
    shutil.rmtree(work, ignore_errors=True)
    tree.mkdir(parents=True)
    rootfs = work / "rootfs.img"
    _write_rootfs(rootfs, work / "rootfs")
    default = " ".join([*arguments, f"coreos.liveiso={VOLUME_ID}", "ignition.firstboot", "ignition.platform.id=metal"])
    pxeboot = tree / "images" / "pxeboot"
    pxeboot.mkdir(parents=True)
    shutil.copyfile(next((kernel / "boot").glob("vmlinuz-*")), pxeboot / "vmlinuz")
    _write_initrd(pxeboot / "initrd.img", work / "initramfs", kernel, hashlib.sha256(rootfs.read_bytes()).hexdigest())
    (tree / "images" / "ignition.img").write_bytes(bytes(IGNITION_SIZE))
    _write_boot_loaders(tree, work, default)
    minimal = work / "minimal.iso"
    _write_iso(minimal, tree)
    shutil.move(rootfs, pxeboot / "rootfs.img")
    (tree / "coreos" / "miniso.dat").write_bytes(bytes(MINISO_SIZE))
    _write_iso(path, tree)
    fill_miniso(path, minimal, MINISO_SIZE)
    return path


def _write_rootfs(path: Path, tree: Path) -> None:
    for name in (
        "bin",
        "usr/bin",
        "usr/libexec",
        "sbin",
        "etc",
        "root",
        "tmp",
        "proc",
        "sys",
        "dev",
        "run",
        "var/tmp",
        "lib64",
    ):
        (tree / name).mkdir(parents=True, exist_ok=True)
    _install_busybox(tree / "bin")
    for program in PROGRAMS:
        _install_program(tree, program)
    _install_script("init", tree / "sbin" / "init")
    for name in ("agent", "udhcpc"):
        _install_script(name, tree / "usr" / "libexec" / name)
    (tree / "etc" / "passwd").write_text("root:x:0:0:root:/root:/bin/bash\n")
    (tree / "etc" / "group").write_text("root:x:0:\n")
    (tree / "etc" / "nsswitch.conf").write_text("hosts: files\n")
    (tree / "etc" / "hosts").write_text("127.0.0.1 localhost\n")
    run("mksquashfs", tree, path, "-comp", "gzip", "-all-root", "-noappend", "-quiet", "-no-progress")


def _install_script(name: str, path: Path) -> None:
    shutil.copyfile(GUEST / name, path)
    path.chmod(0o755)


def _install_busybox(directory: Path) -> None:
    """busybox and a link for each of its programs; the real ones, installed later, replace links."""
    shutil.copyfile(shutil.which("busybox") or "busybox", directory / "busybox")
    (directory / "busybox").chmod(0o755)
    for name in subprocess.run(["busybox", "--list"], capture_output=True, text=True, check=True).stdout.split():
        if name != "busybox" and not (directory / name).exists():
            (directory / name).symlink_to("busybox")


def _install_program(tree: Path, name: str) -> None:
    """A program of this machine with the libraries that it needs."""
    program = shutil.which(name)
    if program is None:
        raise RuntimeError(f"{name} is not installed")
    target = tree / "bin" / name
    target.unlink(missing_ok=True)
    shutil.copyfile(program, target)
    target.chmod(0o755)
    output = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    for library in re.findall(r"(?:=> |^\s*)(/\S+) \(0x", output, re.MULTILINE):
        copy = tree / library.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library, copy)
        copy.chmod(0o755)


def _write_initrd(path: Path, tree: Path, kernel: Path, rootfs_sha256: str) -> None:
    for name in ("bin", "etc", "modules"):
        (tree / name).mkdir(parents=True)
    shutil.copyfile(shutil.which("busybox") or "busybox", tree / "bin" / "busybox")
    (tree / "bin" / "busybox").chmod(0o755)
    _install_script("initramfs-init", tree / "init")
    _install_script("udhcpc", tree / "udhcpc")
    (tree / "etc" / "coreos-live-initramfs").write_text("ztvm\n")
    (tree / "etc" / "rootfs.sha256").write_text(rootfs_sha256 + "\n")
    for number, module in enumerate(modules_in_order(kernel, MODULES)):
        shutil.copyfile(module, tree / "modules" / f"{number:03}-{module.name}")
    names = "\n".join(str(file.relative_to(tree)) for file in sorted(tree.rglob("*")))
    archive = subprocess.run(
        ["cpio", "-o", "-H", "newc", "-R", "0:0", "--quiet"],
        cwd=tree,
        input=names.encode(),
        capture_output=True,
        check=True,
    ).stdout
    path.write_bytes(gzip.compress(archive, 6, mtime=0))


def modules_in_order(kernel: Path, names: Iterable[str]) -> list[Path]:
    """The files of kernel modules, each behind those that it depends on.

    A name that is in no file is part of the kernel itself.
    """
    found = {file.name.removesuffix(".ko").replace("-", "_"): file for file in kernel.rglob("*.ko")}
    ordered: dict[str, Path] = {}

    def add(name: str) -> None:
        name = name.replace("-", "_")
        if name in ordered or name not in found:
            return
        match = re.search(rb"(?:^|\0)depends=([^\0]*)\0", found[name].read_bytes())
        for needed in (match[1].decode() if match else "").split(","):
            if needed:
                add(needed)
        ordered[name] = found[name]

    for name in names:
        add(name)
    return list(ordered.values())


def _write_boot_loaders(tree: Path, work: Path, default: str) -> None:
    isolinux, redhat, coreos = tree / "isolinux", tree / "EFI" / "redhat", tree / "coreos"
    for directory in (isolinux, redhat, coreos):
        directory.mkdir(parents=True)
    shutil.copyfile(SYSLINUX[0] / "isolinux.bin", isolinux / "isolinux.bin")
    shutil.copyfile(SYSLINUX[1] / "ldlinux.c32", isolinux / "ldlinux.c32")
    # The 0 of "serial" is the first line, as in CoreOS; there is no menu, which needs modules of its own.
    head = (
        "serial 0 115200\ndefault linux\nprompt 0\ntimeout 1\n\nlabel linux\n  kernel /images/pxeboot/vmlinuz\n"
        "  append initrd=/images/pxeboot/initrd.img,/images/ignition.img "
    )
    files = [_with_area(isolinux / "isolinux.cfg", head, "\n", default, tree)]
    head = "set default=0\nset timeout=0\n\nmenuentry 'CoreOS (Live)' {\n\tlinux /images/pxeboot/vmlinuz "
    files.insert(
        0,
        _with_area(
            redhat / "grub.cfg", head, ("\tinitrd /images/pxeboot/initrd.img /images/ignition.img\n}\n"), default, tree
        ),
    )
    (coreos / "kargs.json").write_text(
        json.dumps({"default": default, "files": files, "size": KARGS_SIZE}, indent=2) + "\n"
    )
    (coreos / "igninfo.json").write_text(json.dumps({"file": "images/ignition.img"}) + "\n")
    directives = dict.fromkeys(("append-karg", "console", "copy-network", "dest-device", "ignition-file"), True)
    features = {"installer-config": True, "installer-config-directives": directives, "live-initrd-network": True}
    (coreos / "features.json").write_text(json.dumps(features, indent=2) + "\n")
    _write_efi_image(tree / "images" / "efiboot.img", work)


def _with_area(path: Path, head: str, tail: str, default: str, tree: Path) -> dict[str, object]:
    """Write a boot loader's configuration with an area for kernel arguments; its entry in kargs.json."""
    area = (default + "\n").ljust(KARGS_SIZE, "#")
    path.write_text(head + area + MARKER.decode() + tail)
    return {"path": str(path.relative_to(tree)), "offset": len(head), "pad": "#", "end": "\n"}


def _write_efi_image(path: Path, work: Path) -> None:
    """A FAT file system with GRUB, which finds the medium by its label."""
    early, loader = work / "early.cfg", work / "BOOTX64.EFI"
    early.write_text(
        f"search --no-floppy --set=root --label {VOLUME_ID}\nset prefix=($root)/EFI/redhat\nconfigfile "
        "($root)/EFI/redhat/grub.cfg\n"
    )
    run("grub-mkimage", "-O", "x86_64-efi", "-d", GRUB, "-p", "/EFI/redhat", "-c", early, "-o", loader, *_GRUB_MODULES)
    path.write_bytes(bytes(4 << 20))
    run("mformat", "-i", path, "-v", "EFIBOOT", "::")
    run("mmd", "-i", path, "::/EFI", "::/EFI/BOOT")
    run("mcopy", "-i", path, loader, "::/EFI/BOOT/BOOTX64.EFI")


def _write_iso(path: Path, tree: Path) -> None:
    path.unlink(missing_ok=True)
    bios = [
        "-b",
        "isolinux/isolinux.bin",
        "-c",
        "isolinux/boot.cat",
        "-no-emul-boot",
        "-boot-load-size",
        "4",
        "-boot-info-table",
    ]
    efi = ["-eltorito-alt-boot", "-e", "images/efiboot.img", "-no-emul-boot"]
    hybrid = ["-isohybrid-mbr", str(SYSLINUX[0] / "isohdpfx.bin"), "-isohybrid-gpt-basdat"]
    # The largest file last, so that the other sectors of the minimal image are those of the full one.
    last = {"images/pxeboot/rootfs.img": "-10", "coreos/miniso.dat": "-20"}
    weights = [
        word
        for name, weight in last.items()
        if (tree / name).exists()
        for word in ("--sort-weight", weight, f"/{name}")
    ]
    run(
        "xorriso",
        "-as",
        "mkisofs",
        "-iso-level",
        "1",
        "-R",
        "-J",
        "-joliet-long",
        "-V",
        VOLUME_ID,
        *bios,
        *efi,
        *hybrid,
        *weights,
        "-o",
        path,
        tree,
    )
