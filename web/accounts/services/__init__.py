"""What the outside may change in accounts."""
