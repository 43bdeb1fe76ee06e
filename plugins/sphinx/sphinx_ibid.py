"""The extension of Sphinx that adds search to the built site: `extensions = ["sphinx_ibid"]`."""

import shlex
import subprocess

from sphinx.errors import ExtensionError


def add_search(app, error):
    """Runs `ibid site` on the pages, unless the build has failed or writes something else."""
    if error is not None or app.builder.format != "html" or app.builder.name == "epub":
        return
    options = dict(app.config.ibid)
    command = [*shlex.split(options.pop("command", "npx --yes ibid")), "site", app.outdir]
    if options.pop("answers", False):
        command.append("--answers")
    for name, value in options.items():
        command += [f"--{name}", value] if name in ("facets", "place") else ["--set", f"{name}={value}"]
    try:
        subprocess.run([str(part) for part in command], check=True)
    except (OSError, subprocess.CalledProcessError) as failure:
        raise ExtensionError(f"ibid could not add search: {failure}") from failure


def setup(app):
    app.add_config_value("ibid", {}, "env", [dict])
    app.connect("build-finished", add_search, priority=900)
    return {"version": "0.1.0", "parallel_read_safe": True, "parallel_write_safe": True}
