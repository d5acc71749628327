"""Read a file of timings whole, whatever its format."""

from typing import BinaryIO

from benchpin.core import InvalidParams
from benchpin.engines.profiles.model import Timings

from ._formats import HEAD_BYTES, timings_version
from ._frames import read_csv, read_document, read_json_lines
from ._harvest import Harvest
from ._rows import collector_sample, csv_sample, curl_sample, har_sample, hey_sample


def read_timings(file: BinaryIO) -> Timings:
    """Read timings from a seekable file; what cannot be read is a fault with its line.

    Raises:
        InvalidParams: when the file begins like none of the formats.
    """
    version = timings_version(file.read(HEAD_BYTES))
    file.seek(0)
    harvest = Harvest()
    match version:
        case "collector-v1":
            read_document(file, ("requests",), collector_sample, harvest)
        case "har":
            read_document(file, ("log", "entries"), har_sample, harvest)
        case "curl-json":
            read_json_lines(file, curl_sample, harvest)
        case "csv-v1":
            read_csv(file, csv_sample, harvest)
        case "hey-csv":
            read_csv(file, hey_sample, harvest)
        case None:
            raise InvalidParams(
                "The file holds no timings that can be read",
                suggestion="Give collector-v1, csv-v1, lines of curl's %{json}, HAR or hey's CSV.",
            )
    return harvest.timings(version)
