"""Aircraft, flights, tasks, reference images and their templates."""
