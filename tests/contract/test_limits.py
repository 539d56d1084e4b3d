import os
import subprocess
import sys

from mcp_sidecar.contract import limits as contract_limits
from web.core.limits import Limits

NAMES = [name for name in vars(contract_limits) if name.isupper()]


def test_bounds_of_the_contract_are_those_of_the_platform():
    platform = Limits()
    assert len(NAMES) > 5
    for name in NAMES:
        assert getattr(contract_limits, name) == getattr(platform, name.lower()), name


def test_both_read_the_same_environment_variables():
    code = (
        "from mcp_sidecar.contract import limits as c; from web.core.limits import LIMITS as p;"
        f"names = {NAMES!r};"
        "assert [getattr(c, n) for n in names] == [getattr(p, n.lower()) for n in names]"
        " == [*range(9000, 9000 + len(names))]"
    )
    set_to = {f"PORTOLAN_{name}": str(9000 + number) for number, name in enumerate(NAMES)}
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | set_to)


def test_contract_needs_no_django():
    code = (
        "import sys; import mcp_sidecar.contract.catalogue, mcp_sidecar.contract.documentation,"
        " mcp_sidecar.contract.reading, mcp_sidecar.contract.failures,"
        " mcp_sidecar.contract.fitting;"
        "assert not {'django', 'web', 'fastmcp', 'mcp'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
