"""The webhooks of the administration page: list, form, secret and last deliveries."""
