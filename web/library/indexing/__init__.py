"""Indexing: discover, decode, split, find symbols, write; one sync of a repository."""
