"""``dycl backends``: which static compilers there are, and whether they can be used here."""

import rich_click as click

from dycl.cli.console import show


@click.command(epilog="Example:  dycl backends")
def backends() -> None:
    """List the backends: versions, devices, or why one cannot be used."""
    from rich.table import Table

    from dycl.backends.registry import backend_names, create_backend

    table = Table("backend", "usable", "versions", "devices", "notes")
    for name in backend_names():
        found = create_backend(name).available()
        versions = ", ".join(f"{package} {v}" for package, v in found.versions.items())
        reason = " ".join(part for part in (found.reason, found.help) if part)
        usable = "yes" if found.available else "no"
        notes = "; ".join(found.notes) if found.available else reason
        table.add_row(name, usable, versions, ", ".join(found.devices), notes)
    show(table)
