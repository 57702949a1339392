"""The bars around and over the canvas: top bar, tools, comparison modes, notices, menus."""
