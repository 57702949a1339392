"""Owns the running program: application, main window, palette, shortcut sheet, About, notice of a newer version.

Gives `run_desktop`.
"""
