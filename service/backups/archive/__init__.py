"""What a backup holds and where it lies: one file, or a place whose backups share contents."""
