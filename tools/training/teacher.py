"""The teacher, all-MiniLM-L6-v2, as a plain forward pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

if TYPE_CHECKING:
    from pathlib import Path

HEADS, WIDTH, LAYERS = 12, 384, 6


class Teacher:
    """Unit vectors of 384 dimensions from padded token numbers."""

    def __init__(self, path: Path) -> None:
        self.weights: dict[str, torch.Tensor] = {}
        with np.load(path) as packed:
            for name in packed.files:
                if name.endswith("|q"):
                    value = packed[name].astype(np.float32) * packed[name[:-1] + "s"].astype(
                        np.float32
                    )
                    self.weights[name[:-2]] = torch.tensor(value, device="cuda")
                elif not name.endswith("|s"):
                    self.weights[name] = torch.tensor(
                        packed[name].astype(np.float32), device="cuda"
                    )
        self._half = {name: value.bfloat16() for name, value in self.weights.items()}

    @property
    def table(self) -> torch.Tensor:
        """The token vectors."""
        return self.weights["embeddings.word_embeddings.weight"]

    def _linear(self, states: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(states, self._half[f"{name}.weight"], self._half[f"{name}.bias"])

    def _norm(self, states: torch.Tensor, name: str) -> torch.Tensor:
        weights = self._half if states.dtype == torch.bfloat16 else self.weights
        return functional.layer_norm(
            states, (WIDTH,), weights[f"{name}.weight"], weights[f"{name}.bias"], 1e-12
        )

    @torch.no_grad()
    def embed(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The mean of the last layer's states over the tokens of each text."""
        batch, length = tokens.shape
        places = self.weights["embeddings.position_embeddings.weight"][:length]
        kind = self.weights["embeddings.token_type_embeddings.weight"][0]
        states = self._norm(self.table[tokens] + places + kind, "embeddings.LayerNorm").bfloat16()
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            parts = [
                self._linear(states, f"{name}.attention.self.{part}")
                .view(batch, length, HEADS, -1)
                .transpose(1, 2)
                for part in ("query", "key", "value")
            ]
            heard = functional.scaled_dot_product_attention(
                *parts, attn_mask=mask[:, None, None, :]
            )
            heard = heard.transpose(1, 2).reshape(batch, length, WIDTH)
            merged = states + self._linear(heard, f"{name}.attention.output.dense")
            states = self._norm(merged, f"{name}.attention.output.LayerNorm")
            hidden = functional.gelu(self._linear(states, f"{name}.intermediate.dense"))
            states = self._norm(
                states + self._linear(hidden, f"{name}.output.dense"), f"{name}.output.LayerNorm"
            )
        summed = (states.float() * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return functional.normalize(summed, dim=1)
