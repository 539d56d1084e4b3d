"""Filters for texts that other people chose, such as the names of branches."""

from django import template

from web.core.text import printable

register = template.Library()
register.filter("printable", printable)
