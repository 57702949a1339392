"""Users, their roles and rights, logins, sessions and tokens."""
