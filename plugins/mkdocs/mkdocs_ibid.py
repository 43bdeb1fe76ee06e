"""The plug-in of MkDocs that adds search to the built site: `plugins: [ibid]`."""

import subprocess

import ibid
from mkdocs.config import base
from mkdocs.config import config_options as option
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority


class IbidConfig(base.Config):
    answers = option.Type(bool, default=False)
    facets = option.Optional(option.Type(str))
    place = option.Optional(option.Type(str))
    attributes = option.Type(dict, default={})
    base_url = option.Optional(option.Type(str))
    cache = option.Type(bool, default=True)


class IbidPlugin(BasePlugin[IbidConfig]):
    # After the plug-ins that write pages.
    @event_priority(-100)
    def on_post_build(self, *, config):
        try:
            ibid.add_search(config.site_dir, **self.config)
        except (OSError, subprocess.CalledProcessError) as error:
            raise PluginError(f"ibid could not add search: {error}") from error
