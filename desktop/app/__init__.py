"""Owns the running program: the application, its main window, palette, shortcut sheet and About.

Gives `run_desktop`.
"""
