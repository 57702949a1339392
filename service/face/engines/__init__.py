"""Decodes pictures, finds and embeds faces; one module for each engine, run in a process of its own."""
