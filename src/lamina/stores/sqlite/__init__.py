"""The default store: one SQLite file, through one driver."""
