"""The web interface as it is shipped: built from `web/`, read here, served by `surfaces.http`."""
