"""Gives texts in the program's language: translator, fonts, dates, names of findings and states."""
