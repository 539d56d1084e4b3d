"""Read every mirror anew in a process of its own; its last line says what that took.

CPU seconds of the process and git's, and the most memory that the process held, in megabytes: of a
child that another process forked, the kernel counts the parent's memory as well.
"""

import re
import resource
from pathlib import Path

import django


def main() -> None:
    """Rebuild the indexes of the database that the environment names."""
    django.setup()
    from django.core.management import call_command

    call_command("rebuild_index", verbosity=0)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    kilobytes = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert kilobytes
    print(sum(part.ru_utime + part.ru_stime for part in used), int(kilobytes[1]) / 1024)


if __name__ == "__main__":
    main()
