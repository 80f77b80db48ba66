"""Moving a store into another database: rows as they are, while the store stays in use.

Pages are copied by table. What was written meanwhile is found in the log, and each record that it
names is copied again, whole. The last of it is copied while writers are held.
"""
