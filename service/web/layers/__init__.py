"""Layers around the operations with a subject of their own: compression, other origins, clients that left.

The layers that every request needs are in `service.web.middleware`.
"""
