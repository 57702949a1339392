"""Brings regions in and out: files, drag and drop, clipboard, bulk import."""
