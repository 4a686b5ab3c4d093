"""A process of a torture round: ``python torture_worker.py ROLE ROOT SEED``; prints what is wrong, works until killed.

Roles: ``sync`` brings the index up to date, rebuilds and changes models at random; ``search`` searches.
"""

from __future__ import annotations

import math
import random
import struct
import sys
from pathlib import Path

from support.fake_embeddings import words_vector
from support.sync_bench import SyncBench, WordsProvider

from openclaw_memory_core.errors import StoreBusyError
from openclaw_memory_core.index.chunking import embed_text
from openclaw_memory_core.index.model import Term
from openclaw_memory_core.privacy import Visible

MODELS = {"ash": 8, "birch": 12}
EVERYTHING = Visible(("memory", "sessions"))


def provider(model: str) -> WordsProvider:
    return WordsProvider(model, MODELS[model])


def sync(root: Path, rng: random.Random) -> None:
    bench = SyncBench(root)
    while True:
        engine = bench.engine(provider(rng.choice(sorted(MODELS))), lease_wait=0.05)
        for _ in range(rng.randint(1, 5)):
            report = engine.sync(reason="torture", force=rng.random() < 0.1)
            unexpected = {path: why for path, why in report.failed.items() if why.code != "note-not-found"}
            if unexpected or report.provider_error is not None:
                print(f"problem: {unexpected} {report.provider_error}", flush=True)
            print("busy" if report.busy else "synced", flush=True)


def search(root: Path, rng: random.Random) -> None:
    bench = SyncBench(root)
    while True:
        with bench.store.reader() as reader:
            if reader.identity is None:
                continue
            model = reader.identity.embedding["model"]
            text = " ".join(rng.choice(["heron", "kiln", "ferry", "roof"]) for _ in range(3))
            wanted = words_vector(text, MODELS[model])
            query = struct.pack(f"<{len(wanted)}f", *wanted)
            ids = [hit.chunk_id for hit in reader.keyword([Term("heron"), Term("账单")], EVERYTHING, 20)]
            ids += [hit.chunk_id for hit in reader.vector(query, EVERYTHING, 20)]
            chunks = reader.chunks(ids)
            if set(chunks) != set(ids):
                print(f"problem: hits without chunks {set(ids) - set(chunks)}", flush=True)
            for number, cosine in reader.cosines(query, list(chunks)).items():
                chunk = chunks[number]
                own = words_vector(embed_text(chunk.text, chunk.headings), MODELS[model])
                if not math.isclose(cosine, sum(a * b for a, b in zip(own, wanted, strict=True)), abs_tol=1e-3):
                    print(f"problem: a vector of another text or model at {chunk.path}:{chunk.start_line}", flush=True)
        print("searched", flush=True)


def main() -> None:
    role, root, seed = sys.argv[1:]
    work = {"sync": sync, "search": search}[role]
    rng = random.Random(seed)
    while True:
        try:
            work(Path(root), rng)
        except StoreBusyError:
            print("busy", flush=True)
        except Exception as error:
            print(f"problem: {type(error).__name__}: {error}", flush=True)


if __name__ == "__main__":
    main()
