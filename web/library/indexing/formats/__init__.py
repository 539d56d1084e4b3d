"""One module per document format: each finds the headings of a text and nothing else."""
