"""What the database lacks of the migrations on disk."""

import pkgutil
from importlib import import_module

from django.apps import apps
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder


def unapplied_migrations() -> list[str]:
    """Return the migrations on disk that the database has not had, as "app.name".

    Compared by name: Django's own way imports every migration, which takes longer than all the
    other checks. Raises DatabaseError when the database does not answer.
    """
    applied = MigrationRecorder(connection).applied_migrations()
    return [
        f"{app.label}.{name}"
        for app in apps.get_app_configs()
        for name in _migrations_on_disk(app.name)
        if (app.label, name) not in applied
    ]


def _migrations_on_disk(app: str) -> list[str]:
    try:
        package = import_module(f"{app}.migrations")
    except ModuleNotFoundError:
        return []
    return [
        module.name
        for module in pkgutil.iter_modules(package.__path__)
        if module.name[0] not in "_~" and not module.ispkg
    ]
