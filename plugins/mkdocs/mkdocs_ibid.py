"""The plug-in of MkDocs that adds search to the built site: `plugins: [ibid]`."""

import shlex
import subprocess

from mkdocs.config import base
from mkdocs.config import config_options as option
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority


class IbidConfig(base.Config):
    answers = option.Type(bool, default=False)
    facets = option.Optional(option.Type(str))
    place = option.Optional(option.Type(str))
    attributes = option.Type(dict, default={})
    command = option.Type(str, default="npx --yes ibid")


class IbidPlugin(BasePlugin[IbidConfig]):
    # After the plug-ins that write pages.
    @event_priority(-100)
    def on_post_build(self, *, config):
        given = self.config
        command = [*shlex.split(given.command), "site", config.site_dir]
        if given.answers:
            command.append("--answers")
        for name, value in (("facets", given.facets), ("place", given.place)):
            if value:
                command += [f"--{name}", value]
        for name, value in given.attributes.items():
            command += ["--set", f"{name}={value}"]
        try:
            subprocess.run(command, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise PluginError(f"ibid could not add search: {error}") from error
