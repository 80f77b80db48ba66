"""Records in a schema of a Postgres database, shared by many machines.

The server brings durability, locks and vectors (the extension `vector`); the rules stay ours.
`driver` is the only module that imports psycopg.
"""
