"""The guide in a window of the program: pages in both languages, offline, opened by F1 where the person is.

`HelpWindow` shows it, `find_topic` gives the page for a place, `Guide` reads and searches the pages.
"""

from desktop.help.guide import Guide, find_topic
from desktop.help.window import HelpWindow

__all__ = ["Guide", "HelpWindow", "find_topic"]
