"""What was not judged is said at the end, where it is read: a skipped test must not look like a passed one."""

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)  # for builds that are slow by intent


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Repeat the reasons of skipped tests, each once."""
    reasons = {str(report.longrepr[2]).removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", [])}
    for reason in sorted(reasons):
        terminalreporter.write_line("")
        terminalreporter.write_line(reason, red=True, bold=True)
