"""Trains students side by side on the same batches.

    python -m training.distil FOLDER OUT SECONDS STUDENT...

FOLDER holds what `pack` wrote. A student is NAME:LAYERS:WIDTH:HEADS:HIDDEN:CONTRAST:RATE; one that
was saved to OUT under the same name goes on from there. The loss is the distance to the teacher's
vectors, the divergence between the two similarity matrices of a batch, and, weighed by CONTRAST,
how well a question finds its document among those of its batch. The static vectors learn the same.
The bundled weights are a:3:256:4:1024:0.3:0.0015 after 570 seconds on one H200.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch._dynamo
from torch.nn import functional

from .batches import Batch, Corpus, Pairs
from .export import load, save
from .model import DIMENSIONS, TABLE, Shape, Student
from .teacher import Teacher

SHARPNESS, WARM_UP, STATIC = 20.0, 300, 0.4
BUCKET_SHARES = (0.18, 0.34, 0.26, 0.17, 0.05)
FAVOUR = {
    "reply": 0.4,
    "probe": 1.3,
    "intent": 0.5,
    "answer": 0.7,
    "paraphrase": 0.6,
    "release-note": 1.5,
}


@dataclass(slots=True)
class Pupil:
    """A student in training."""

    name: str
    student: Student
    forward: torch.nn.Module
    optimizer: torch.optim.Optimizer
    contrast: float
    rate: float
    steps: int = 0


def pupil(description: str, teacher: Teacher, corpus: Corpus, out: Path) -> Pupil:
    """Starts a student from the teacher's token vectors, or from where it was saved."""
    name, *numbers, contrast, rate = description.split(":")
    axes = torch.linalg.eigh(teacher.table.T @ teacher.table)[1].flip(1)[:, :TABLE]
    student = Student(Shape(*map(int, numbers)), teacher.table @ axes, corpus.commonness).cuda()
    if (out / f"{name}.rest.npz").exists():
        load(student, name, out)
    matrices = [
        p
        for n, p in student.named_parameters()
        if p.ndim == 2 and "table" not in n and "positions" not in n
    ]
    others = [
        p for n, p in student.named_parameters() if p.ndim != 2 or "table" in n or "positions" in n
    ]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}],
        lr=float(rate),
        betas=(0.9, 0.98),
        fused=True,
    )
    print(name, sum(p.numel() for p in student.parameters()) / 1e6, "M parameters")
    return Pupil(
        name, student, torch.compile(student, dynamic=True), optimizer, float(contrast), float(rate)
    )


def likeness(ours: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    """Distance to the teacher's vectors, and between the similarities of the batch."""
    own, wanted = ours @ ours.T, theirs @ theirs.T
    self_match = torch.eye(len(ours), device=ours.device, dtype=torch.bool)
    divergence = functional.kl_div(
        functional.log_softmax((own * SHARPNESS).masked_fill(self_match, -99), 1),
        functional.softmax((wanted * SHARPNESS).masked_fill(self_match, -99), 1),
        reduction="batchmean",
    )
    return 1 - (ours * theirs).sum(1).mean() + 0.5 * divergence + 5 * (own - wanted).square().mean()


def finding(
    queries: torch.Tensor, documents: torch.Tensor, asked: torch.Tensor, told: torch.Tensor
) -> torch.Tensor:
    """How surely each side finds the other; near-copies of the right one do not count as wrong."""
    copies = (told @ told.T > 0.85) | (asked @ asked.T > 0.9)
    copies.fill_diagonal_(False)
    scores = (queries @ documents.T * SHARPNESS).masked_fill(copies, -99)
    right = torch.arange(len(queries), device=queries.device)
    return (functional.cross_entropy(scores, right) + functional.cross_entropy(scores.T, right)) / 2


losses = torch.compile(likeness, dynamic=True)
contrasts = torch.compile(finding, dynamic=True)


def step(
    learner: Pupil, batch: Batch, sides: tuple[Batch, Batch], progress: float
) -> dict[str, torch.Tensor]:
    """One update; returns the parts of the loss."""
    learner.steps += 1
    warm = min(1.0, learner.steps / WARM_UP)
    for group in learner.optimizer.param_groups:
        group["lr"] = learner.rate * warm * (0.49 * (1 + math.cos(math.pi * progress)) + 0.02)
    with torch.autocast("cuda", torch.bfloat16):
        ours = learner.forward(batch.tokens, batch.mask)
    static = learner.student.static(batch.tokens, batch.mask)
    parts = {"like": losses(ours, batch.target), "static": STATIC * losses(static, batch.target)}
    if learner.contrast:
        with torch.autocast("cuda", torch.bfloat16):
            queries, documents = (learner.forward(side.tokens, side.mask) for side in sides)
        wanted = [side.target for side in sides]
        own = [learner.student.static(side.tokens, side.mask) for side in sides]
        parts["find"] = learner.contrast * contrasts(queries, documents, *wanted)
        parts["find static"] = STATIC * learner.contrast * contrasts(own[0], own[1], *wanted)
        for vectors, side in zip((queries, documents), sides, strict=True):
            parts[f"near {len(parts)}"] = 0.25 * (1 - (vectors * side.target).sum(1).mean())
    learner.optimizer.zero_grad(set_to_none=True)
    sum(parts.values()).backward()
    torch.nn.utils.clip_grad_norm_(learner.student.parameters(), 1.0)
    learner.optimizer.step()
    return parts


@torch.no_grad()
def agreement(learner: Pupil, corpus: Corpus) -> str:
    """On texts held out: cosine to the teacher, and how many of its ten nearest are found."""
    views = corpus.held_out[:4096]
    tokens, mask = corpus.padded(views, 32)
    target = corpus.target[views].float()
    with torch.autocast("cuda", torch.bfloat16):
        ours = learner.student(tokens, mask)
    shown = []
    for vectors in (ours, learner.student.static(tokens, mask)):
        nearest = [(v @ v.T).fill_diagonal_(-1).topk(10).indices for v in (target, vectors)]
        shared = (nearest[0][:, :, None] == nearest[1][:, None, :]).any(2).float().mean()
        shown.append(f"{float((vectors * target).sum(1).mean()):.4f} {float(shared):.4f}")
    return " | ".join(shown)


def main(folder: str, out: str, seconds: str, *descriptions: str) -> None:
    """Trains for so many seconds in all, then saves every student."""
    begun, limit = time.monotonic(), float(seconds)
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    torch._dynamo.config.recompile_limit = 64
    corpus, teacher = Corpus(Path(folder), crops=4), Teacher(Path(folder) / "teacher.npz")
    print(
        f"{time.monotonic() - begun:.0f}s views",
        len(corpus.starts),
        [len(b) for b in corpus.buckets],
    )
    corpus.learn(teacher, DIMENSIONS)
    print(f"{time.monotonic() - begun:.0f}s taught")
    pairs, pupils = (
        Pairs(corpus, FAVOUR),
        [pupil(text, teacher, corpus, Path(out)) for text in descriptions],
    )
    draw, started, steps, progress = np.random.default_rng(2), time.monotonic(), 0, 0.0
    while progress < 1:
        batch, sides = corpus.draw(int(draw.choice(5, p=BUCKET_SHARES)), 0.25), pairs.draw()
        parts = [step(learner, batch, sides, progress) for learner in pupils]
        steps += 1
        progress = (time.monotonic() - started) / (limit - (started - begun))
        if steps in {5, 30, 100} or steps % 400 == 0:
            for learner, part in zip(pupils, parts, strict=True):
                told = " ".join(f"{name} {float(value):.3f}" for name, value in part.items())
                print(
                    f"{steps} {time.monotonic() - begun:.0f}s {learner.name}: {told}",
                    agreement(learner, corpus),
                    flush=True,
                )
    for learner in pupils:
        print("final", learner.name, steps, agreement(learner, corpus))
        save(learner.student, learner.name, Path(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
