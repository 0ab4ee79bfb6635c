"""The command, its reports and the fetching of releases."""
