"""Decides whether a sequence of frames shows a head that makes the asked movements, or a picture of one."""
