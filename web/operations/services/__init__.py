"""What operations write: recorded calls, and their end."""
