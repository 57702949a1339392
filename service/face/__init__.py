"""Faces: enrolment and face login, the face engines, and the storage of face templates."""
