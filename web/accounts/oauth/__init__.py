"""The authorization server: what Portolan adds to django-oauth-toolkit, and what it takes away."""
