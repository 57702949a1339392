"""Owns every command once and its keys; menus, palette and shortcut sheet are generated from it."""
