"""What several pages share: forms, files, lists, messages, faces; knows no single page."""
