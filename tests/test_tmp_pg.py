from tests.on_postgres import run_on_postgres
from pathlib import Path
T=Path("tests/web/library")
def test_it():
    run_on_postgres([T/"services/test_rebuild.py", T/"services/test_credentials.py", T/"services/test_progress.py", T/"webhooks/test_webhooks.py", T/"selectors/test_index_reports.py", Path("tests/reports/test_r62_to_r77_hostile_repositories.py")])
