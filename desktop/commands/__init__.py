"""Defines each command and its keys once; menus, palette and shortcut sheet are generated from that."""
