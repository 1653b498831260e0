"""What each consumer does with a message; these files are written once and belong to their reader."""
