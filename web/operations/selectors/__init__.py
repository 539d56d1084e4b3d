"""What staff may ask: logs, health, usage, tool calls."""
