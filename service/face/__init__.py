"""Faces: enrolment and face login, the engines behind them, and the keeping of face templates."""
