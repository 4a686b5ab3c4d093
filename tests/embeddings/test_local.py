"""The local provider: a model in a process of its own, which comes when needed and goes when we go."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.fake_llama_server import install, tiny_gguf
from support.local_server import LocalServer, Request, Response
from support.providers import provider_settings, unpack
from support.tiny_gguf import CONTEXT, WIDTH, write_tiny_gguf

from openclaw_memory_core.config.model import LocalConfig
from openclaw_memory_core.embeddings import llama_worker
from openclaw_memory_core.embeddings.embedder import Embedder
from openclaw_memory_core.embeddings.http import Http
from openclaw_memory_core.embeddings.llama_process import LlamaProcess
from openclaw_memory_core.embeddings.registry import create_provider
from openclaw_memory_core.errors import MissingExtraError, ProviderAuthError, ProviderUnavailableError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in for llama-server is a shell script")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment in which ``llama-server`` is the stand-in."""
    install(tmp_path / "bin")
    return {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return tiny_gguf(tmp_path / "models" / "tiny.gguf")


def local(env: dict[str, str], path: str, **changes: Any) -> Any:
    return create_provider(provider_settings("local", env=env, local=LocalConfig(model_path=path), **changes))


@pytest.fixture
def provider(env: dict[str, str], model: Path) -> Iterator[Any]:
    subject = local(env, str(model))
    yield subject
    subject.close()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A child that nobody has waited for is dead all the same.
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


def wait_until(condition: Any, seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def server_pid(provider: Any) -> int:
    process = provider._process
    reply = Http("t").post(f"{process.url}/embeddings", {"input": ["x"]}, headers=process.headers, timeout=5)
    pid: int = reply["pid"]
    return pid


def test_nothing_is_started_before_the_first_text(provider: Any, model: Path) -> None:
    assert provider._process is None
    assert provider.info.local
    assert provider.info.identity == {"provider": "local", "model": "tiny.gguf", "bytes": str(model.stat().st_size)}


def test_texts_are_embedded_in_order_and_scaled_to_length_one(provider: Any) -> None:
    vectors = provider.embed(["a", "bb"], "document", timeout=20)

    assert vectors == [pytest.approx([0.6, 0.8])] * 2


def test_the_process_ends_with_close(provider: Any) -> None:
    provider.embed(["a"], "query", timeout=20)
    pid = server_pid(provider)

    provider.close()

    assert wait_until(lambda: not alive(pid))


def test_a_file_that_is_no_model_takes_its_own_process_down_only(env: dict[str, str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"not a model at all")
    subject = local(env, str(broken))

    with pytest.raises(ProviderUnavailableError, match=r"broken\.gguf ended with code"):
        subject.embed(["a"], "query", timeout=20)
    subject.close()


def test_a_process_that_dies_at_work_is_started_again(provider: Any) -> None:
    provider.embed(["a"], "query", timeout=20)

    with pytest.raises(ProviderUnavailableError):
        provider.embed(["die"], "document", timeout=20)

    assert wait_until(lambda: provider._process._process.poll() is not None)
    assert provider.embed(["a"], "query", timeout=20)


def test_the_process_does_not_outlive_a_killed_parent(env: dict[str, str], model: Path) -> None:
    code = (
        "import sys, os; sys.path.insert(0, 'tests')\n"
        "from support.providers import provider_settings\n"
        "from openclaw_memory_core.config.model import LocalConfig\n"
        "from openclaw_memory_core.embeddings.registry import create_provider\n"
        "from openclaw_memory_core.embeddings.http import Http\n"
        "config = LocalConfig(model_path=sys.argv[1])\n"
        "p = create_provider(provider_settings('local', env=dict(os.environ), local=config))\n"
        "p.embed(['a'], 'query', timeout=20)\n"
        "q = p._process\n"
        "reply = Http('t').post(q.url + '/embeddings', {'input': ['x']}, headers=q.headers, timeout=5)\n"
        "print(reply['pid'], flush=True)\n"
        "input()\n"
    )
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", code, str(model)], cwd=root, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        assert wait_until(lambda: not alive(pid))


def test_a_stranger_on_this_machine_cannot_use_it(provider: Any) -> None:
    provider.embed(["a"], "query", timeout=20)

    with pytest.raises(ProviderAuthError):
        Http("t").post(f"{provider._process.url}/embeddings", {"input": ["x"]}, headers={}, timeout=5)


def test_without_anything_to_run_it_the_hint_is_the_install_command(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    monkeypatch.setattr("openclaw_memory_core.embeddings.llama_process.find_spec", lambda name: None)

    with pytest.raises(MissingExtraError) as caught:
        local({"PATH": "/nonexistent"}, str(model))
    assert "openclaw-memory-core[local]" in str(caught.value.hint)


def test_a_missing_file_is_named_first(tmp_path: Path) -> None:
    with pytest.raises(ProviderUnavailableError, match=r"absent\.gguf does not exist"):
        local({"PATH": "/nonexistent"}, str(tmp_path / "absent.gguf"))


def test_home_is_expanded(env: dict[str, str], model: Path, tmp_path: Path) -> None:
    subject = local(env, "~/models/tiny.gguf", home=tmp_path)

    assert subject.info.model == "tiny.gguf"


def test_the_whole_way_through_the_embedder(provider: Any) -> None:
    subject = Embedder(provider)
    got: dict[str, bytes] = {}

    assert subject.embed_documents({"a": "one", "b": "two"}, got.update).done == 2
    assert subject.probe(timeout=20) == 2


class ModelHost(LocalServer):
    """Serves one file, like a model hub: with a redirect that carries the checksum."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.content = content

    def handle(self, request: Request) -> Response:
        return Response(200, self.content, {"Content-Type": "application/octet-stream"})


def test_a_model_of_a_hub_is_fetched_at_the_first_text_and_kept(env: dict[str, str], tmp_path: Path) -> None:
    content = tiny_gguf(tmp_path / "source.gguf").read_bytes()
    with ModelHost(content) as hub:
        settings = provider_settings(
            "local",
            env={**env, "HF_ENDPOINT": hub.origin},
            local=LocalConfig(model_path="hf:owner/repo/tiny.gguf", model_cache_dir=tmp_path / "cache"),
        )
        subject = create_provider(settings)
        assert hub.requests == []
        subject.embed(["a"], "query", timeout=20)
        subject.close()
        again = create_provider(settings)
        again.embed(["a"], "query", timeout=20)
        again.close()

        assert [request.path for request in hub.requests] == ["/owner/repo/resolve/main/tiny.gguf"]
    assert subject.info.identity == {"provider": "local", "model": "owner__repo__tiny.gguf"}


def test_the_default_model_goes_into_the_state_folder(env: dict[str, str], tmp_path: Path) -> None:
    content = tiny_gguf(tmp_path / "source.gguf").read_bytes()
    with ModelHost(content) as hub:
        settings = provider_settings("local", env={**env, "HF_ENDPOINT": hub.origin}, state_dir=tmp_path)
        subject = create_provider(settings)
        subject.embed(["a"], "query", timeout=20)
        subject.close()

    assert [path.parent.name for path in tmp_path.rglob("*embeddinggemma*.gguf")] == ["models"]


def test_a_server_that_runs_already_is_used_as_it_is(env: dict[str, str]) -> None:
    settings = replace(provider_settings("local", env=env), own_url="http://127.0.0.1:9/v1", model="m")

    assert create_provider(settings).info.identity["endpoint"] == "http://127.0.0.1:9/v1"


def test_a_model_without_pooling_is_averaged() -> None:
    assert llama_worker.pooled([[1.0, 3.0], [3.0, 5.0]]) == [2.0, 4.0]
    assert llama_worker.pooled([1.0, 2.0]) == [1.0, 2.0]


needs_llama = pytest.mark.skipif(
    find_spec("xllamacpp") is None and find_spec("llama_cpp") is None, reason="llama.cpp is not installed"
)


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Embedder]:
    """A real model of a few kilobytes in the real llama.cpp."""
    model = write_tiny_gguf(tmp_path / "tiny.gguf")
    monkeypatch.setattr("openclaw_memory_core.embeddings.llama_process.shutil.which", lambda *_, **__: None)
    settings = LocalConfig(model_path=str(model), context_size=CONTEXT)
    subject = Embedder(create_provider(provider_settings("local", env=dict(os.environ), local=settings)))
    yield subject
    subject.close()


@needs_llama
def test_a_real_model_embeds(real: Embedder) -> None:
    texts = {"a": "heron at the river", "b": "otter at the river", "again": "heron at the river "}
    got: dict[str, bytes] = {}

    report = real.embed_documents(texts, got.update)

    assert report.error is None
    vectors = {key: unpack(vector) for key, vector in got.items()}
    assert {len(vector) for vector in vectors.values()} == {WIDTH}
    assert all(sum(x * x for x in vector) == pytest.approx(1.0, abs=1e-5) for vector in vectors.values())
    assert vectors["a"] == pytest.approx(vectors["again"], abs=1e-5)
    assert vectors["a"] != pytest.approx(vectors["b"], abs=1e-2)
    assert unpack(real.embed_query("heron at the river", timeout=20)) == pytest.approx(vectors["a"], abs=1e-5)


@needs_llama
def test_a_text_beyond_the_context_of_a_real_model_is_named(real: Embedder) -> None:
    report = real.embed_documents({"long": "word " * 500, "short": "word"}, lambda _: None)

    assert set(report.failed) == {"long"}
    assert report.done == 1


@needs_llama
def test_the_real_llama_cpp_dies_alone_on_what_is_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openclaw_memory_core.embeddings.llama_process.shutil.which", lambda *_, **__: None)
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + (3).to_bytes(4, "little") + b"\xff" * 200)
    subject = local(dict(os.environ), str(broken))

    with pytest.raises(ProviderUnavailableError, match=r"broken\.gguf ended with code"):
        subject.embed(["a"], "query", timeout=20)
    subject.close()


FAKE_LLAMA_CPP = """
class Llama:
    def __init__(self, *, model_path, embedding, n_ctx, n_batch, n_ubatch, verbose):
        assert embedding and not verbose and n_ctx == n_batch == n_ubatch
        if open(model_path, "rb").read(4) != b"GGUF":
            import os
            os.abort()

    def create_embedding(self, texts):
        return {"data": [{"index": i, "embedding": [[1.0, 0.0], [0.0, 1.0]]} for i in reversed(range(len(texts)))]}
"""


NO_XLLAMACPP = """
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "xllamacpp" else find(name, package)
"""


def test_llama_cpp_python_runs_in_the_same_way(tmp_path: Path, model: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "llama_cpp.py").write_text(FAKE_LLAMA_CPP, encoding="utf-8")
    # Where xllamacpp is installed it would come first: a finder that denies it.
    (tmp_path / "site" / "sitecustomize.py").write_text(NO_XLLAMACPP, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    process = LlamaProcess("python", model, context_size=512, env=env)

    process.ensure(timeout=20)
    reply = Http("t").post(f"{process.url}/embeddings", {"input": ["a", "b"]}, headers=process.headers, timeout=5)
    with pytest.raises(ProviderAuthError):
        Http("t").post(f"{process.url}/embeddings", {"input": ["a"]}, headers={}, timeout=5)
    process.close()

    assert reply["data"] == [{"index": 0, "embedding": [0.5, 0.5]}, {"index": 1, "embedding": [0.5, 0.5]}]
