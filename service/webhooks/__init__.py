"""Webhooks as a domain: who is notified of what, the outbox of deliveries and how they are sent."""
