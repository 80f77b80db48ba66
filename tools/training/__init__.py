"""How the weights of the bundled embedder were made: gathering texts, then distillation."""
