"""The student: a small pre-norm transformer, and static vectors from the same token table."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

VOCABULARY, TABLE, POSITIONS, DIMENSIONS = 30_522, 256, 256, 256
START, END, ASK = 101, 102, 1
EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a student."""

    layers: int
    width: int
    heads: int
    hidden: int


class Norm(nn.Module):
    """Divides by the root mean square."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Scales the last axis."""
        return functional.rms_norm(states, states.shape[-1:], self.weight.to(states.dtype), EPSILON)


class Block(nn.Module):
    """Attention, then two matrices with a squared rectifier between them."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.before_attention, self.before_hidden = Norm(shape.width), Norm(shape.width)
        self.attend = nn.Linear(shape.width, 3 * shape.width, bias=False)
        self.merge = nn.Linear(shape.width, shape.width, bias=False)
        self.widen = nn.Linear(shape.width, shape.hidden, bias=False)
        self.narrow = nn.Linear(shape.hidden, shape.width, bias=False)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """One layer."""
        batch, length, width = states.shape
        mixed = self.attend(self.before_attention(states))
        queries, keys, values = mixed.view(
            batch, length, 3, self.heads, width // self.heads
        ).permute(2, 0, 3, 1, 4)
        heard = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        states = states + self.merge(heard.transpose(1, 2).reshape(batch, length, width))
        return states + self.narrow(
            functional.relu(self.widen(self.before_hidden(states))).square()
        )


class Student(nn.Module):
    """Token numbers in, unit vectors out: contextual by `forward`, static by `static`."""

    def __init__(self, shape: Shape, table: torch.Tensor, commonness: torch.Tensor) -> None:
        super().__init__()
        self.table = nn.Embedding.from_pretrained(table.clone(), freeze=False)
        self.positions = nn.Parameter(torch.randn(POSITIONS, shape.width) * 0.02)
        self.enter = (
            nn.Linear(TABLE, shape.width, bias=False) if shape.width != TABLE else nn.Identity()
        )
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.last = Norm(shape.width)
        self.pool = nn.Linear(shape.width, 1, bias=False)
        self.leave = nn.Linear(shape.width, DIMENSIONS, bias=False)
        nn.init.zeros_(self.pool.weight)
        for block in self.blocks:
            nn.init.zeros_(block.narrow.weight)
        self.static_weight = nn.Parameter(torch.log(1e-3 / (1e-3 + commonness)))
        self.static_leave = nn.Linear(TABLE, DIMENSIONS, bias=False)
        nn.init.eye_(self.static_leave.weight)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Unit vectors of the padded batch."""
        states = self.enter(self.table(tokens)) + self.positions[: tokens.shape[1]]
        for block in self.blocks:
            states = block(states, mask[:, None, None, :])
        states = self.last(states)
        share = self.pool(states)[..., 0].float().masked_fill(~mask, -1e4).softmax(1)
        pooled = (states * share[..., None].to(states.dtype)).sum(1)
        return functional.normalize(self.leave(pooled).float(), dim=1)

    def static(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Unit vectors from weighted sums of the table's rows; start and end marks do not count."""
        counted = mask & (tokens != START) & (tokens != END) & (tokens != ASK)
        weight = (self.static_weight[tokens].exp() * counted)[..., None]
        summed = (self.table(tokens) * weight).sum(1)
        return functional.normalize(self.static_leave(summed).float(), dim=1)
