"""The program `ibid`, and what `ibid site` does, for plug-ins of site generators."""

import shutil
import subprocess
import sysconfig


def program():
    """Returns the path of the program: the one of this environment, else one on `PATH`."""
    found = shutil.which("ibid", path=sysconfig.get_path("scripts")) or shutil.which("ibid")
    if found is None:
        raise FileNotFoundError("The program `ibid` is not there: `pip install --force-reinstall ibid-cli` brings it.")
    return found


def add_search(folder, *, answers=False, facets=None, place=None, attributes=None, base_url=None, cache=True):
    """Adds search to a built site.

    Indexes its pages, copies the files that they need next to them, and adds a script to each page, which puts the
    search box where the theme has its own. `place` is a selector of another element, `facets` names the fields of the
    metadata whose values become filters, separated by commas, and `attributes` are further ones of `<ibid-search>`.

    Raises `subprocess.CalledProcessError` when the program fails, which has said why on standard error.
    """
    named = {"facets": facets, "place": place, "base-url": base_url}
    options = [f"--{name}={value}" for name, value in named.items() if value]
    options += [f"--set={name}={value}" for name, value in (attributes or {}).items()]
    options += ["--answers"] * answers + ["--no-cache"] * (not cache)
    subprocess.run([program(), "site", *options, "--", str(folder)], check=True, stdin=subprocess.DEVNULL)
