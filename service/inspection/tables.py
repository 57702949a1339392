"""Tables of inspection."""
