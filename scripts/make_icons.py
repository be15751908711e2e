"""Draws the icons of the web page from src/web/assets/icon.svg, with a Chromium that is installed.

    make_icons.py        # wants the package playwright; writes icon-192.png, icon-512.png and badge.png
"""

import pathlib
import shutil

from playwright.sync_api import sync_playwright

assets = pathlib.Path(__file__).resolve().parent.parent / "src" / "web" / "assets"
icon = (assets / "icon.svg").read_text()
# The badge of a notification is a stencil: only its alpha is used.
stencil = (assets / "bell.svg").read_text().replace("currentColor", "#fff").replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    for name, size, picture in [("icon-192.png", 192, icon), ("icon-512.png", 512, icon), ("badge.png", 96, stencil)]:
        page = browser.new_page(viewport={"width": size, "height": size})
        page.set_content(f"<style>*{{margin:0}}svg{{display:block;width:{size}px;height:{size}px}}</style>{picture}")
        page.screenshot(path=assets / name, omit_background=True)
    browser.close()
