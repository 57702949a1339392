"""The catalogue page: aircraft, flights, tasks, reference images and detection models."""

from desktop.pages.catalogue.page import CataloguePage

__all__ = ["CataloguePage"]
