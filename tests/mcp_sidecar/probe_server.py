"""Run the sidecar with the probes, as `python -m mcp_sidecar` runs the product's servers."""

from mcp_sidecar.__main__ import main

if __name__ == "__main__":
    main("tests.mcp_sidecar.probe_application:application")
