"""The story of agents A and B and module X, played by two processes on one store."""
