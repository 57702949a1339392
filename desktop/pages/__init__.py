"""The pages of the window, one package or module each."""
