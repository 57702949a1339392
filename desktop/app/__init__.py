"""Runs the program: application, main window, command palette, shortcut sheet, About and update notice.

The entry point is `application.run_desktop`.
"""
