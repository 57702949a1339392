"""The policy of face login on the administration page: head movements, devices and cameras."""
