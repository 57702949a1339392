"""The catalogue: what records refer to, and the models that look at photos."""

from desktop.pages.catalogue.page import CataloguePage

__all__ = ["CataloguePage"]
