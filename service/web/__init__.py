"""What every request passes: middleware, envelopes, errors, body checks, ETags, access rights, client
addresses, API document."""
