"""Owns the running program: application, main window, palette, shortcut sheet, About and update notice.

Gives `run_desktop`.
"""
