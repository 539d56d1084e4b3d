"""The pages of accounts and the endpoints of the authorization server."""
