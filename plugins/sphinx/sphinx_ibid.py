"""The extension of Sphinx that adds search to the built site: `extensions = ["sphinx_ibid"]`."""

import subprocess

import ibid
from sphinx.errors import ExtensionError


def add_search(app, error):
    """Runs `ibid site` on the pages, unless the build has failed or writes something else."""
    if error is not None or app.builder.format != "html" or app.builder.name == "epub":
        return
    try:
        ibid.add_search(app.outdir, **app.config.ibid)
    except (OSError, TypeError, subprocess.CalledProcessError) as failure:
        raise ExtensionError(f"ibid could not add search: {failure}") from failure


def setup(app):
    app.add_config_value("ibid", {}, "env", [dict])
    app.connect("build-finished", add_search, priority=900)
    return {"version": "0.1.0", "parallel_read_safe": True, "parallel_write_safe": True}
