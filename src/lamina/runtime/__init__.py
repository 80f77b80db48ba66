"""What uses the memory: agents that run, and orchestrators that let them work on tasks."""
