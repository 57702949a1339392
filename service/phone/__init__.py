"""The phone as camera: codes that connect a phone to one record, its photos in parts, and its page."""
