"""Runs the sub-DNNs of this package with ONNX Runtime. Needs numpy and onnxruntime only."""

from pathlib import Path

try:
    import onnxruntime
except ImportError as error:
    raise ImportError(
        "this package runs its sub-DNNs with ONNX Runtime: pip install onnxruntime"
    ) from error


def load_subdnns(directory, manifest):
    """Return a callable per sub-DNN, by its id; arrays in, an array or a list of them out."""
    settings = manifest["runtime"]
    providers = _providers(settings["device"])
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = settings["threads"]
    options.inter_op_num_threads = 1
    # Each session owns its threads: if those span waiting, sub-DNNs would slow each other down.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    sessions = {}
    subdnns = {}
    for entry in manifest["subdnns"]:
        file = entry["file"]
        if file not in sessions:
            path = str(Path(directory, file))
            sessions[file] = onnxruntime.InferenceSession(path, options, providers=providers)
        subdnns[entry["id"]] = _callable(sessions[file], entry)
    return subdnns


def _callable(session, entry):
    run = session.run
    inputs = tuple(f"x{i}" for i in range(len(entry["inputs"])))
    outputs = [f"y{i}" for i in range(len(entry["outputs"]))]
    if len(outputs) == 1:
        return lambda *arrays: run(outputs, dict(zip(inputs, arrays)))[0]
    return lambda *arrays: run(outputs, dict(zip(inputs, arrays)))


def _providers(device):
    if device == "cpu":
        return ["CPUExecutionProvider"]
    wanted = {"cuda": "CUDAExecutionProvider"}[device]
    if wanted not in onnxruntime.get_available_providers():
        raise ImportError(
            f"this package was compiled for {device}, which the installed onnxruntime does not "
            "support: pip install onnxruntime-gpu"
        )
    return [wanted, "CPUExecutionProvider"]
