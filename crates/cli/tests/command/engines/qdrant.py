"""Qdrant's REST API, as far as ibid uses it, over the engine that the Python client has for tests.

    python qdrant.py [--key KEY] [--origin http://127.0.0.1:8000]

Prints its address as one line, and stops when standard input is closed. Requests are read by the client's own models, which
are generated from Qdrant's OpenAPI description and refuse what it does not have; responses are written by them too. The
engine keeps everything in memory and compares every vector. With `--key`, requests need it in the header `api-key`.
"""

import argparse
import http.server
import json
import re
import sys
import threading
import warnings

from pydantic import TypeAdapter, ValidationError
from qdrant_client import QdrantClient, models

warnings.filterwarnings("ignore")


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def read(model, body):
    """Reads a body as the API describes it, without turning text into numbers and the like."""
    try:
        return TypeAdapter(model).validate_python(body)
    except ValidationError as error:
        raise Refused(400, f"Format error in JSON body: {error}") from error


def create(client, name, body):
    request = read(models.CreateCollection, body)
    client.create_collection(
        name, vectors_config=request.vectors, sparse_vectors_config=request.sparse_vectors
    )
    return True


def index_field(client, name, body):
    request = read(models.CreateFieldIndex, body)
    client.create_payload_index(name, request.field_name, request.field_schema)
    return {"operation_id": 1, "status": "completed"}


def upsert(client, name, body):
    request = read(models.PointsList, body)
    client.upsert(name, request.points)
    return {"operation_id": 1, "status": "completed"}


def point(client, name, _, id):
    found = client.retrieve(name, [int(id) if id.isdigit() else id])
    if not found:
        raise Refused(404, f"Not found: Point with id {id} does not exists!")
    return found[0]


def points(client, name, body):
    request = read(models.PointRequest, body)
    return client.retrieve(
        name, request.ids, with_payload=request.with_payload, with_vectors=request.with_vector
    )


def scroll(client, name, body):
    request = read(models.ScrollRequest, body)
    found, following = client.scroll(
        name,
        scroll_filter=request.filter,
        limit=request.limit,
        offset=request.offset,
        with_payload=request.with_payload,
        with_vectors=request.with_vector,
    )
    return {"points": found, "next_page_offset": following}


def delete(client, name, body):
    request = read(models.PointIdsList, body)
    client.delete(name, points_selector=request)
    return {"operation_id": 1, "status": "completed"}


def query(client, name, body):
    request = read(models.QueryRequestBatch, body)
    return client.query_batch_points(name, request.searches)


COLLECTION = r"/collections/([^/]+)"
ROUTES = [
    ("GET", COLLECTION, lambda client, name, _: client.get_collection(name)),
    ("PUT", COLLECTION, create),
    ("PUT", COLLECTION + "/index", index_field),
    ("PUT", COLLECTION + "/points", upsert),
    ("POST", COLLECTION + "/points", points),
    ("POST", COLLECTION + "/points/scroll", scroll),
    ("POST", COLLECTION + "/points/delete", delete),
    ("POST", COLLECTION + "/points/query/batch", query),
    ("GET", COLLECTION + "/points/([^/]+)", point),
]


def plain(value):
    """A value of the client as the JSON that the server would send."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    client = QdrantClient(":memory:")
    lock = threading.Lock()
    key = None
    origin = None

    def answer(self):
        length = int(self.headers.get("content-length") or 0)
        text = self.rfile.read(length)
        try:
            if self.key and self.headers.get("api-key") != self.key:
                raise Refused(401, "Must provide an API key or an Authorization bearer token")
            self.reply(200, {"result": plain(self.route(text)), "status": "ok", "time": 0.0})
        except Refused as refused:
            self.reply(refused.status, {"status": {"error": str(refused)}, "time": 0.0})
        except ValueError as error:
            status = 404 if "not found" in str(error) else 400
            self.reply(status, {"status": {"error": str(error)}, "time": 0.0})

    def route(self, text):
        path = self.path.partition("?")[0]
        for method, pattern, act in ROUTES:
            match = re.fullmatch(pattern, path)
            if match and method == self.command:
                name, *rest = match.groups()
                with self.lock:
                    return act(self.client, name, json.loads(text) if text else None, *rest)
        raise Refused(404, f"no such route: {self.command} {path}")

    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if self.origin:
            self.send_header("access-control-allow-origin", self.origin)
            self.send_header("access-control-allow-methods", "GET, POST, PUT")
            self.send_header("access-control-allow-headers", "content-type, api-key")
        self.end_headers()
        self.wfile.write(body)

    def do_OPTIONS(self):
        self.reply(200, {})

    do_GET = do_PUT = do_POST = answer

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--key")
    parser.add_argument("--origin")
    arguments = parser.parse_args()
    Handler.key, Handler.origin = arguments.key, arguments.origin
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    sys.stdin.read()
    server.shutdown()


main()
