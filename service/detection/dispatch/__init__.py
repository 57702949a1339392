"""Creates, cancels and executes jobs, and writes their results."""
