"""Batch jobs as OpenAI (and Voyage) and Gemini offer them, in memory, with scripted trouble."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any

from support.local_server import Request, Response

Embed = Callable[[list[str]], list[list[float]]]


class BatchDesk:
    """State and behaviour of all jobs of one server.

    :ivar polls: so many looks at a job until it is finished.
    :ivar stuck: jobs stay in this state for ever.
    :ivar final: state in which jobs end.
    :ivar failing: texts whose lines come back as errors, in the file of errors.
    :ivar missing: texts whose lines do not come back at all.
    :ivar shuffle: lines come back in another order.
    """

    def __init__(self, embed: Embed, text_of: Callable[[dict[str, Any]], str]) -> None:
        self._embed = embed
        self._text_of = text_of
        self.polls = 1
        self.stuck: str | None = None
        self.final = "completed"
        self.failing: set[str] = set()
        self.missing: set[str] = set()
        self.shuffle = True
        self.files: dict[str, bytes] = {}
        self.jobs: dict[str, dict[str, Any]] = {}
        self.cancelled: list[str] = []
        self.submitted: list[str] = []
        """Every text of every job, in order."""

    def upload(self, content: bytes) -> str:
        name = f"file-{len(self.files) + 1}"
        self.files[name] = content
        return name

    def create(self, file: str, extra: dict[str, Any]) -> dict[str, Any]:
        lines = [json.loads(line) for line in self.files[file].splitlines()]
        texts = [self._text_of(line) for line in lines]
        self.submitted += texts
        job = {"id": f"batch_{len(self.jobs) + 1}", "looks": 0, "lines": lines, "texts": texts, **extra}
        self.jobs[job["id"]] = job
        return job

    def look(self, job_id: str) -> dict[str, Any]:
        """State of a job after one more look."""
        job = self.jobs[job_id]
        job["looks"] += 1
        if job_id in self.cancelled:
            job["state"] = "cancelled"
        elif self.stuck is not None:
            job["state"] = self.stuck
        elif job["looks"] <= self.polls:
            job["state"] = "in_progress"
        else:
            job["state"] = self.final
        return job

    def outcome(self, job: dict[str, Any]) -> tuple[list[tuple[dict[str, Any], list[float]]], list[dict[str, Any]]]:
        """Lines with their vectors, and lines that failed."""
        pairs = list(zip(job["lines"], job["texts"], strict=True))
        good = [(line, text) for line, text in pairs if text not in self.failing | self.missing]
        vectors = self._embed([text for _, text in good])
        done = [(line, vector) for (line, _), vector in zip(good, vectors, strict=True)]
        if self.shuffle:
            random.Random(7).shuffle(done)
        return done, [line for line, text in pairs if text in self.failing]


class OpenAIBatchDesk(BatchDesk):
    """``/files`` and ``/batches`` under a prefix."""

    def handle(self, request: Request, prefix: str) -> Response | None:
        """Answer if the request is about files or batches."""
        parts = request.path.removeprefix(prefix).strip("/").split("/")
        if request.method == "POST" and parts == ["files"]:
            return Response(200, {"id": self.upload(_form(request)["file"]), "object": "file"})
        if request.method == "GET" and parts[0] == "files" and parts[2:] == ["content"]:
            return Response(200, self.files[parts[1]], {"Content-Type": "application/octet-stream"})
        if parts[0] != "batches":
            return None
        if request.method == "GET" and len(parts) == 1:
            jobs = [self._shown(job) for job in reversed(self.jobs.values())]
            return Response(200, {"object": "list", "data": jobs, "has_more": False})
        if request.method == "POST" and len(parts) == 1:
            body = request.json()
            return Response(200, self._shown(self.create(body.pop("input_file_id"), body)))
        if parts[1] not in self.jobs:
            return Response(404, {"error": {"message": "no such batch"}})
        if parts[2:] == ["cancel"]:
            self.cancelled.append(parts[1])
        return Response(200, self._shown(self.look(parts[1])))

    def _shown(self, job: dict[str, Any]) -> dict[str, Any]:
        state = job.get("state", "validating")
        shown = {"id": job["id"], "object": "batch", "status": state, "metadata": job.get("metadata")}
        if state in ("completed", "expired") and "output" not in job:
            self._write(job)
        return shown | {"output_file_id": job.get("output"), "error_file_id": job.get("errors")}

    def _write(self, job: dict[str, Any]) -> None:
        done, failed = self.outcome(job)
        output = [
            {
                "id": "x",
                "custom_id": line["custom_id"],
                "response": {"status_code": 200, "body": {"data": [{"embedding": vector, "index": 0}]}},
                "error": None,
            }
            for line, vector in done
        ]
        errors = [
            {"custom_id": line["custom_id"], "response": {"status_code": 400, "body": {"error": "no"}}, "error": None}
            for line in failed
        ]
        job["output"] = self.upload(b"\n".join(json.dumps(line).encode() for line in output))
        job["errors"] = self.upload(b"\n".join(json.dumps(line).encode() for line in errors)) if errors else None


class GeminiBatchDesk(BatchDesk):
    """Uploads, ``:asyncBatchEmbedContent``, ``batches/…`` and downloads of the Gemini API."""

    def handle(self, request: Request) -> Response | None:
        """Answer if the request is about files or batches."""
        path = request.path
        if path == "/upload/v1beta/files":
            return Response(200, {"file": {"name": f"files/{self.upload(_related(request))}"}})
        if path.endswith(":asyncBatchEmbedContent"):
            batch = request.json()["batch"]
            job = self.create(batch["inputConfig"]["file_name"].removeprefix("files/"), {"label": batch["displayName"]})
            return Response(200, self._shown(job))
        if path.startswith("/download/v1beta/files/"):
            name = path.removeprefix("/download/v1beta/files/").removesuffix(":download")
            return Response(200, self.files[name], {"Content-Type": "application/jsonl"})
        if path == "/v1beta/batches":
            return Response(200, {"operations": [self._shown(job) for job in self.jobs.values()]})
        if not path.startswith("/v1beta/batches/"):
            return None
        name, _, action = path.removeprefix("/v1beta/batches/").partition(":")
        if name not in self.jobs:
            return Response(404, {"error": {"message": "no such batch"}})
        if action == "cancel":
            self.cancelled.append(name)
            return Response(200, {})
        return Response(200, self._shown(self.look(name)))

    def _shown(self, job: dict[str, Any]) -> dict[str, Any]:
        word = {"completed": "SUCCEEDED", "in_progress": "RUNNING"}.get(
            job.get("state", ""), job.get("state", "pending").upper()
        )
        metadata = {"displayName": job["label"], "state": f"BATCH_STATE_{word}"}
        shown: dict[str, Any] = {"name": f"batches/{job['id']}", "metadata": metadata}
        if word == "SUCCEEDED":
            shown |= {"done": True, "response": {"responsesFile": f"files/{self._written(job)}"}}
        return shown

    def _written(self, job: dict[str, Any]) -> str:
        if "output" not in job:
            done, failed = self.outcome(job)
            lines: list[Any] = [{"key": line["key"], "response": {"embedding": {"values": v}}} for line, v in done]
            lines += [{"key": line["key"], "error": {"code": 3, "message": "no"}} for line in failed]
            job["output"] = self.upload(b"\n".join(json.dumps(line).encode() for line in lines))
        found: str = job["output"]
        return found


def _parts(request: Request) -> list[Any]:
    head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
    return list(BytesParser(policy=HTTP).parsebytes(head + request.body).iter_parts())


def _form(request: Request) -> dict[str, bytes]:
    form = {
        part.get_param("name", header="content-disposition"): part.get_payload(decode=True) for part in _parts(request)
    }
    assert form["purpose"] == b"batch"
    return form


def _related(request: Request) -> bytes:
    about, content = _parts(request)
    assert json.loads(about.get_payload(decode=True))["file"]["mimeType"] == "application/jsonl"
    payload: bytes = content.get_payload(decode=True)
    return payload
