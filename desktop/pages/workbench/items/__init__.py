"""The list of items, the fields of the chosen item and its detection settings, with one selection for list
and canvas."""
