"""Settings under `[fleet]`."""

from benchpin.core.tools import ToolsetSettings


class FleetSettings(ToolsetSettings):
    """Where facts and tables of many repositories are kept, and what measures them."""

    store: str = ""
    """A folder, or a URL such as s3://bucket/path; `fleet` in the data folder by default."""
    scheduler: str = ""
    """The address of a Dask scheduler; this machine by default."""

    def narrowed_by(self, workspace: "FleetSettings") -> "FleetSettings":  # noqa: ARG002 - as declared
        """Return these settings: a workspace does not choose where data goes."""
        return self
