"""The log as it is read back: from the files of this machine, or from the table of all machines."""
