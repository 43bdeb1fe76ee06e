project = "Kettle"
author = "Kettle"
version = release = "2.4"
extensions = ["myst_parser", "sphinx_ibid"]
ibid = {"answers": True}
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
html_theme = "sphinx_book_theme"
html_baseurl = "https://kettle.example/docs/"
html_last_updated_fmt = "%d %b %Y"
html_theme_options = {"source_edit_link": "https://code.kettle.example/edit/{filename}"} if html_theme == "furo" else {"repository_url": "https://github.com/kettle/kettle", "use_edit_page_button": True}
