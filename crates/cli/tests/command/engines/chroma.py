"""Starts a Chroma server on a free port of this machine, for tests.

    python chroma.py [--origin http://127.0.0.1:8000]

Prints the server's address as one line once it answers, and stops it when standard input is closed. Its data are in a
temporary folder. `--origin` is the origin of pages that may call it (CORS), which Chroma 1.x takes from its configuration
file only: `chroma run --path` ignores the environment.
"""

import argparse
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PATIENCE_S = 60


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(address, server):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if server.poll() is not None:
            sys.exit(f"chroma ended with code {server.returncode}")
        try:
            with urllib.request.urlopen(f"{address}/api/v2/heartbeat", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    sys.exit(f"chroma did not answer in {PATIENCE_S} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--origin", action="append", default=[])
    origins = parser.parse_args().origin
    # The server is in the compiled part alone: the package's own `chroma` command would import a dozen others, half a
    # gigabyte, which `pip install --no-deps chromadb` spares.
    code = "import sys, chromadb_rust_bindings; chromadb_rust_bindings.cli(['chroma', 'run', sys.argv[1]])"
    command = [sys.executable, "-c", code]
    with tempfile.TemporaryDirectory(prefix="ibid-chroma-") as folder:
        port = free_port()
        settings = {
            "port": port,
            "listen_address": "127.0.0.1",
            "persist_path": f"{folder}/data",
            "cors_allow_origins": origins,
        }
        configuration = pathlib.Path(folder, "chroma.yaml")
        # JSON is YAML too.
        configuration.write_text(json.dumps(settings))
        with open(f"{folder}/log", "wb") as log:
            server = subprocess.Popen([*command, configuration], stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(address, server)
            print(address, flush=True)
            sys.stdin.read()
        finally:
            server.terminate()
            server.wait()


main()
