"""Parts that several pages share: forms, files, lists, messages, faces. They do not depend on any page."""
