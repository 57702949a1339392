"""The catalogue's reference images: cards, uploads, templates and scale."""
