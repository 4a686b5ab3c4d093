"""Cases config-*: paths and addresses as users write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.bench import Bench, remote
from support.fake_embeddings import FakeEmbeddings

from openclaw_memory_core.config import load_config
from openclaw_memory_core.embeddings.resolve import resolve_provider


def test_case_config_01_home_sign(tmp_path: Path) -> None:
    bench = Bench(
        tmp_path,
        search={"extraPaths": ["~/vault"]},
        agents={"list": [{"id": "main"}, {"id": "work", "workspace": str(tmp_path / "work")}]},
    )
    vault = bench.home / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("a heron in the vault\n", encoding="utf-8")

    for agent_id in ("main", "work"):
        with bench.core(agent_id) as core:
            core.sync()
            found = core.search("heron")["results"]
        assert len(found) == 1
        assert found[0]["path"].endswith("vault/a.md")


def test_case_config_02_address_with_and_without_slash(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        bench.write("memory/a.md", "heron\n")
        for address in (fs.url, fs.url + "/"):
            bench.search_settings["remote"]["baseUrl"] = address
            bench.index()

        assert {request.path for request in fs.requests} == {"/v1/embeddings"}
        assert len(fs.embedded) == 1


@pytest.mark.parametrize("address", ["", "   "])
def test_case_config_02_an_empty_address_means_the_default_one(tmp_path: Path, address: str) -> None:
    identities = []
    for base in ({"baseUrl": address}, {}):
        search = {"provider": "openai", "remote": {"apiKey": "sk-x", **base}}
        config = load_config({"memory": {"search": search}}, state_dir=tmp_path, env={}, home=tmp_path)
        agent = config.agent(None)
        provider = resolve_provider(agent.search, config, agent=agent).provider
        assert provider is not None
        identities.append(provider.info.identity)

    assert identities[0] == identities[1]


def test_case_config_03_adding_a_path(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        for number in range(20):
            bench.write(f"memory/n{number:02d}.md", f"note {number}\n")
        for folder in ("one", "two"):
            for name in ("a", "b"):
                path = tmp_path / folder / f"{name}.md"
                path.parent.mkdir(exist_ok=True)
                path.write_text(f"{folder} {name}\n", encoding="utf-8")
        bench.search_settings["extraPaths"] = [str(tmp_path / "one")]
        bench.index()
        sent = len(fs.inputs)

        bench.search_settings["extraPaths"] = [str(tmp_path / "one"), str(tmp_path / "two")]
        added = bench.index()
        bench.search_settings["extraPaths"].reverse()
        swapped = bench.index()
        del bench.search_settings["extraPaths"][0]
        removed = bench.index()

        assert len(fs.inputs) - sent == 2
        assert (added.added, added.rebuilt) == (2, False)
        assert (swapped.added, swapped.changed, swapped.removed, swapped.rebuilt) == (0, 0, 0, False)
        assert (removed.removed, removed.rebuilt) == (2, False)
