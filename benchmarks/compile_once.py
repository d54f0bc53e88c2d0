"""Compile one model of the zoo in this process and print how long it took, as JSON.

``python -m benchmarks.compile_once NAME OUTPUT [--threads N] [--without PASS]``; the cache is
where ``DYCL_CACHE_DIR`` says. A process of its own, as for a user at the command line.
"""

import argparse
import json
import time


def main() -> None:
    """Compile and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("name")
    parser.add_argument("output")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--without", action="append", default=[], metavar="PASS")
    arguments = parser.parse_args()
    begin = time.perf_counter()
    import torch

    import dycl
    from zoo.catalog import CATALOG, GROWTH

    imported = time.perf_counter()
    entry = next(entry for entry in (*CATALOG, *GROWTH) if entry.name == arguments.name)
    model = entry.build()
    built = time.perf_counter()
    compiled = dycl.compile(
        model,
        entry.example_inputs(),
        method=entry.method,
        output=arguments.output,
        options=dycl.CompileOptions(
            threads=arguments.threads, disabled_passes=frozenset(arguments.without), force=True
        ),
    )
    done = time.perf_counter()
    report = compiled.report
    assert report is not None
    weights = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()
        for tensor in (*model.parameters(), *model.buffers())
    }
    result = {
        "seconds": {"import": imported - begin, "build": built - imported, "compile": done - built},
        "stages": dict(report.seconds),
        "branches": report.branches,
        "subdnns": report.subdnns,
        "structures": report.structures,
        "exported": report.exported,
        "bytes": report.bytes,
        "weights": sum(weights.values()),
        "torch": torch.__version__,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
