"""Several packages of a model against the original: one table, model by backend."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.markup import escape
from rich.table import Table

from dycl.verification.report import VerificationReport


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """Reports of packages, by model and then by the name of the package."""

    reports: Mapping[str, Mapping[str, VerificationReport]]

    @property
    def passed(self) -> bool:
        """Return whether every package does what its original does."""
        return all(r.passed for row in self.reports.values() for r in row.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of packages, in order of first appearance."""
        return tuple(dict.fromkeys(name for row in self.reports.values() for name in row))

    def to_json(self) -> str:
        """Return everything as JSON text."""
        content = {
            "passed": self.passed,
            "models": {
                model: {name: json.loads(report.to_json()) for name, report in row.items()}
                for model, row in self.reports.items()
            },
        }
        return json.dumps(content, indent=2) + "\n"


def render_side_by_side(found: SideBySide) -> Table:
    """Return inconsistent rate and log10 of the numeric error, as published, for each."""
    table = Table(
        title="inconsistent rate / log10 of the largest absolute error",
        title_justify="left",
        caption="a cell is red where structures, types, shapes or tolerances differ too",
    )
    table.add_column("model")
    table.add_column("inputs", justify="right")
    for name in found.names:
        table.add_column(escape(name), justify="right")
    for model, row in found.reports.items():
        count = len(next(iter(row.values())).host.samples)
        table.add_row(escape(model), str(count), *(_cell(row.get(name)) for name in found.names))
    return table


def _cell(report: VerificationReport | None) -> str:
    if report is None:
        return "-"
    host = report.host
    # without a single number to compare, there is no error to speak of
    error = f"{host.log_error:.1f}" if host.error_distribution else "-"
    text = f"{host.inconsistent_rate:.1%} / {error}"
    return text if host.passed else f"[red]{text}[/red]"


def package_names(manifests: Sequence[Mapping[str, Any]], paths: Sequence[str]) -> list[str]:
    """Return a name for each package: its backends, or its path where two have the same."""
    names = [" + ".join(manifest["backends"]) or "no sub-DNN" for manifest in manifests]
    return [
        name if names.count(name) == 1 else path for name, path in zip(names, paths, strict=True)
    ]
