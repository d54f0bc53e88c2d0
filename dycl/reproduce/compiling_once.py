"""Compile one model in this process and print how long each phase took, as JSON.

``python -m dycl.reproduce.compiling_once CATALOG MODEL BACKEND OUTPUT``; the cache is
where ``DYCL_CACHE_DIR`` says.
"""

import json
import sys
import time
from pathlib import Path


def main(catalog_file: str, name: str, backend: str, output: str) -> None:
    """Compile and print."""
    begin = time.perf_counter()
    from dycl.reproduce.catalog import load_catalog
    from dycl.reproduce.measuring.subject import compile_entry

    entry = load_catalog(Path(catalog_file)).entry(name)
    imported = time.perf_counter()
    model = entry.build()
    built = time.perf_counter()
    compiled = compile_entry(entry, model, backend, Path(output))
    done = time.perf_counter()
    report = compiled.report
    assert report is not None
    weights = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()
        for tensor in (*model.parameters(), *model.buffers())
    }
    seconds = {"import": imported - begin, "build": built - imported, "compile": done - built}
    result = {
        "seconds": seconds,
        "stages": dict(report.seconds),
        "branches": report.branches,
        "subdnns": report.subdnns,
        "structures": report.structures,
        "exported": report.exported,
        "bytes": report.bytes,
        "weights": sum(weights.values()),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
