"""Optional layers around the operations: compression, other origins, clients that left.

The layers that every request needs are in `service.web.middleware`.
"""
