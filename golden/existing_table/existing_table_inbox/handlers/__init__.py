"""What each consumer does with a message: yours to write, in the module of its name."""
