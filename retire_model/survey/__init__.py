"""`retire-model survey` and `retire-model history`: all hand-written models of an engine tree at once."""
