"""Parts that several pages share: forms, files, lists, messages, faces. Independent of the single pages."""
