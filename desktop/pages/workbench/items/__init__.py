"""The list of items, the fields of the chosen one and its detection settings; one selection for list and
canvas.
"""
