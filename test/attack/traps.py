"""Models with external data at hostile locations: only the output is written, and no secret is read.

The models name external data at hostile locations (hidden files, parents, links, the output's own name,
pipes, devices). Each is optimised, saved and converted. Afterwards inode, time and bytes of every other file
must be unchanged, and the outputs must not contain the secret's bytes.
"""

import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

from _children import Attack, run

SECRET = b"this is the secret of another user " * 40


def model(location: str, name: str = "w") -> bytes:
    """Return a model with two weights: one with external data at `location`, one with its bytes inside."""
    from onnx import TensorProto, helper

    size = len(SECRET)
    external = TensorProto(name=name, data_type=TensorProto.UINT8, dims=[size])
    external.data_location = TensorProto.EXTERNAL
    entries = {"location": location, "offset": "0", "length": str(size)}
    for key, value in entries.items():
        entry = external.external_data.add()
        entry.key, entry.value = key, value
    inside = helper.make_tensor("inside", TensorProto.UINT8, [size], bytes(size), raw=True)
    nodes = [
        helper.make_node("Concat", [name, "x"], ["y"], axis=0),
        helper.make_node("Concat", ["inside", "x"], ["z"], axis=0),
    ]
    infos = [helper.make_tensor_value_info(n, TensorProto.UINT8, ["N"]) for n in "xyz"]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], [external, inside])
    opset = [helper.make_opsetid("", 17)]
    data: bytes = helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()
    return data


def lay(root: Path) -> None:
    """Create the directories: dl (the models), home (the outputs), far (the secret)."""
    for name in ("dl", "dl/sub", "home", "home/sub", "far"):
        (root / name).mkdir()
    (root / "far/secret").write_bytes(SECRET)
    for victim in ("home/.bashrc", "home/sub/keep", "home/weights.bin", "home/o.onnx.data.7"):
        (root / victim).write_bytes(b"precious " * 200)
    for own in ("dl/.bashrc", "dl/sub/keep", "dl/weights.bin", "dl/o.onnx", "dl/ge.lock"):
        (root / own).write_bytes(bytes(len(SECRET)))
    (root / "dl/link").symlink_to("../far/secret")
    (root / "dl/linked").symlink_to("../far")
    (root / "home/link").symlink_to("../far/secret")
    (root / "home/out").symlink_to("../dl")
    os.link(root / "far/secret", root / "dl/hard")
    os.mkfifo(root / "dl/pipe")


# Locations of the external data; reading the last ones is allowed.
LOCATIONS = [
    "../far/secret",
    "{root}/far/secret",
    "link",
    "linked/secret",
    "sub/../../far/secret",
    "./linked/../link",
    "pipe",
    "/dev/zero",
    "/proc/self/environ",
    "/proc/self/mem",
    ".",
    "",
    "sub",
    "none",
    "a\0b",
    "x" * 5000,
    "\N{BELL}\x1b[2J",
    ".bashrc",
    "sub/keep",
    "weights.bin",
    "o.onnx",
    "ge.lock",
    "o.onnx.data",
    "o.onnx.data.7",
]

# The commands for each location; {m} is the model.
COMMANDS = [
    ["optimize", "{m}", "-o", "home/o.onnx"],
    ["optimize", "{m}", "-o", "home/o.onnx", "--external-data"],
    ["optimize", "{m}", "-o", "home/o.onnx", "--external-data", "weights.bin"],
    ["optimize", "{m}", "-o", "home/o.onnx", "--external-data", ".bashrc"],
    ["optimize", "{m}", "-o", "home/o.onnx", "--external-data", "link"],
    ["optimize", "{m}", "dl/weights.onnx", "--output-dir", "home/out"],
    ["optimize", "{m}", "dl/victim.onnx"],
    ["convert", "{m}", "-o", "home/o.onnx"],
    ["convert", "{m}", "-o", "home/o.mlir"],
    ["info", "{m}"],
]


def snapshot(root: Path) -> dict[str, Any]:
    """Return inode, time and bytes of every file."""
    held: dict[str, Any] = {}
    for directory, _, names in os.walk(root):
        for name in names:
            path = Path(directory, name)
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else None
            held[str(path.relative_to(root))] = (status.st_ino, status.st_mtime_ns, content)
    return held


def check(
    attack: Attack, root: Path, before: dict[str, Any], after: dict[str, Any], what: str
) -> None:
    """Report files that were changed, removed or created, except outputs, and new files with the secret."""
    for name, was in before.items():
        if after.get(name) != was:
            attack.found(f"{what}: {name} was {'changed' if name in after else 'removed'}")
    for name in after.keys() - before.keys():
        ours = name.startswith(("home/o.", "home/ge.lock")) or Path(name).name == "ge.lock"
        if not ours:
            attack.found(f"{what}: {name} was made")
        content = after[name][2]
        if content is not None and SECRET[:200] in content:
            attack.found(f"{what}: {name} has the secret")


def main() -> None:
    attack = Attack(__doc__.splitlines()[0])
    cases = [(where, command) for where in LOCATIONS for command in COMMANDS]
    attack.random.shuffle(cases)
    for number in attack.rounds():
        if number == len(cases):
            break
        location, command = cases[number]
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            lay(root)
            source = root / "dl/m.onnx"
            source.write_bytes(model(location.replace("{root}", str(root))))
            for other in ("weights.onnx", "victim.onnx"):
                (root / "dl" / other).write_bytes(model("weights.bin"))
            before = snapshot(root)
            words = [word.replace("{m}", "dl/m.onnx") for word in command]
            ended = run([sys.executable, "-m", "ge.cli", *words], cwd=root)
            what = f"location {location!r:.60}, ge {' '.join(words)}"
            attack.tried += 1
            if ended.status not in (0, 1, 2):
                attack.found(f"{what} {ended}")
            elif "Traceback" in ended.err:
                attack.found(f"{what}: a traceback: {ended.err[-400:]}")
            if SECRET[:60].decode() in ended.out + ended.err:
                attack.found(f"{what}: the secret was printed")
            check(attack, root, before, snapshot(root), what)
    attack.end()


if __name__ == "__main__":
    main()
