"""`python -m tests.fuzz --cases 100000`: the full figure, on a catalogue of its own.

Prints cases, time and failures by kind with the smallest case of each; ends with 1 where there are
any. The same seed gives the same cases.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

# Of a hundred cases, so many are of each kind.
SHARES = {"bodies": 60, "arguments": 25, "requests": 15}
# So many cases come with one hostile repository more, which is read through every tool.
CASES_PER_TREE = 200


def main() -> int:
    """Run the campaigns that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000, help="how many in all (10,000)")
    parser.add_argument("--seed", type=int, default=1, help="where the random numbers start (1)")
    parser.add_argument("--only", choices=[*SHARES, "trees"], help="cases of one kind alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portolan-fuzz-") as folder:
        _prepare(Path(folder))
        return _run(Path(folder), options)


def _prepare(folder: Path) -> None:
    """Boot Django on a database of its own, as the sidecar is booted."""
    for name in [name for name in os.environ if name.startswith("PORTOLAN_")]:
        del os.environ[name]
    os.environ["PORTOLAN_DATA_DIR"] = str(folder / "data")
    os.environ["DJANGO_SETTINGS_MODULE"] = "web.config.settings.test"
    from mcp_sidecar.bootstrap import boot_django

    boot_django()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _run(folder: Path, options: argparse.Namespace) -> int:
    from tests.fuzz import arguments, bodies, campaign, requests, sidecar, trees

    known = sidecar.catalogue(folder)
    failed = False
    with sidecar.running(known) as target:
        strategies = {
            "bodies": bodies.cases(),
            "arguments": arguments.cases(target.definitions, known),
            "requests": requests.cases(),
        }
        for name, share in SHARES.items():
            if options.only not in {None, name}:
                continue
            count = options.cases if options.only else options.cases * share // 100
            report = campaign.run(
                name, strategies[name], target, count=count, first_seed=options.seed
            )
            failed = failed or bool(report.failures)
            _print(report)
        if options.only is None or options.only == "trees":
            count = options.cases if options.only else max(1, options.cases // CASES_PER_TREE)
            report = trees.run(target, folder, count=count, first_seed=options.seed)
            failed = failed or bool(report.failures)
            _print(report)
    print(f"seed {options.seed}: {'failures, see above' if failed else 'no failure'}")
    return 1 if failed else 0


def _print(report: "campaign.Report") -> None:  # noqa: F821
    print(
        f"{report.name}: {report.cases} cases in {report.seconds:.0f} s, "
        f"{report.failures.total()} failures"
    )
    for kind, count in report.failures.most_common():
        case = report.smallest[kind]
        print(f"  {count:6} {kind}")
        print(f"         {case.method} {case.path[:200]!r} {case.query!r}")
        print(f"         {dict(case.headers)!r}"[:600])
        print(f"         {case.body[:600]!r}")


if __name__ == "__main__":
    sys.exit(main())
