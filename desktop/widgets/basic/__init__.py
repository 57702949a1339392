"""Elementary widgets that know only the theme: buttons, labels, chips, icons, layouts, popups."""
