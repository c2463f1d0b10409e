"""The package itself: its documentation, its types, and its agreement with the pure reader."""

import doctest
import inspect
import json
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import coconut_format
from coconut_format import _native

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[2]


def documented() -> list[tuple[str, str]]:
    found = [("coconut_format", coconut_format.__doc__ or "")]
    for name, item in vars(_native).items():
        if name.startswith("__"):
            continue
        found.append((name, item.__doc__ or ""))
        if isinstance(item, type):
            kinds = (types.MethodDescriptorType, types.GetSetDescriptorType)
            members = [one for one in vars(item).items() if isinstance(one[1], kinds)]
            found += [(f"{name}.{key}", inspect.getdoc(member) or "") for key, member in members if key[0] != "_"]
    return found


def test_everything_public_is_documented() -> None:
    assert [name for name, text in documented() if not text] == []


@pytest.mark.parametrize("name, text", [one for one in documented() if ">>>" in one[1]])
def test_examples_run(name: str, text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0


def test_examples_of_the_readme_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    failed, run = doctest.testfile(str(HERE.parent / "README.md"), module_relative=False)
    assert failed == 0 and run > 5


@pytest.mark.parametrize(
    "command",
    [
        ["mypy", "--strict", str(HERE)],
        ["mypy.stubtest", "coconut_format", "--ignore-positional-only"],
        ["pyright", "--pythonpath", sys.executable, str(HERE)],
    ],
    ids=lambda command: command[0],
)
def test_the_stubs_are_right(command: list[str], tmp_path: Path) -> None:
    pytest.importorskip(command[0].split(".")[0])
    done = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def vectors(folder: str) -> list[Any]:
    """The conformance vectors, as the pure reader reads them. None outside a clone."""
    path = REPOSITORY / "spec" / "readers" / "python" / "tests" / "vectors.py"
    if not path.is_file():
        return []
    module = types.ModuleType("vectors")
    module.__file__ = str(path)
    sys.modules["vectors"] = module
    exec(compile(path.read_text("utf-8"), str(path), "exec"), module.__dict__)
    loaded: list[Any] = module.load(folder)
    return loaded


@pytest.mark.parametrize("vector", vectors("good"), ids=lambda vector: vector.name)
def test_good_vectors_are_read(vector: Any) -> None:
    document = coconut_format.from_bytes(vector.data, name="vector.coco", reveal=True)
    document.verify()
    for whole in [document.to_python(), json.loads(document.to_json())]:
        assert json.dumps(whole) == json.dumps(json.loads(vector.json))


@pytest.mark.parametrize("vector", vectors("bad"), ids=lambda vector: vector.name)
def test_bad_vectors_are_refused(vector: Any) -> None:
    if vector.name.startswith("envelope-compressed"):
        pytest.skip("this package decompresses")
    refusals = vector.refusals()
    levels = [level for level in ("open", "decode", "verify") if level in refusals]
    for level in levels[:1]:
        with pytest.raises(coconut_format.CoconutError) as refused:
            document = coconut_format.from_bytes(vector.data, name="vector.coco", reveal=True)
            document.to_python() if level == "decode" else document.verify()
        assert (refused.value.code, refused.value.offset) == refusals[level]
