"""Texts to cut, and what every way of cutting keeps."""

from collections.abc import Sequence

from lamina.sources.chunks import Chunk

GO = """package main

import "fmt"

// Greeter greets.
type Greeter struct {
    Name string
}

// Greet says hello, at some length so that the function is not tiny by any measure of it.
func (g *Greeter) Greet() string {
    return fmt.Sprintf("hello %s, and a good day to you and to all of yours", g.Name)
}

func main() {
    g := Greeter{Name: "you"}
    fmt.Println(g.Greet()) // and a comment that makes this one long enough to stand alone
}
"""
TYPESCRIPT = """import { x } from "./x";

/** What a person is called, with a description that is long enough to be worth a chunk. */
export interface Person {
  name: string;
  nickname?: string;
}

export const greet = async (person: Person): Promise<string> => {
  const called = person.nickname ?? person.name;
  return `hello ${called}, it is good to see you here again today`;
};

export default class Greeter extends Base {
  constructor(private readonly person: Person) {
    super();
  }

  async run(): Promise<void> {
    console.log(await greet(this.person));
  }
}
"""
RUST = """use std::fmt;

/// A point in the plane, documented at such length that it is a chunk of its own account.
#[derive(Debug, Clone)]
pub struct Point {
    x: f64,
    y: f64,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}) in the plane, as it were", self.x, self.y)
    }
}

pub(crate) async fn distance(a: &Point, b: &Point) -> f64 {
    ((a.x - b.x).powi(2) + (a.y - b.y).powi(2)).sqrt() // as Pythagoras would have it
}
"""
JAVA = """package org.example;

/** Keeps accounts. */
public final class Ledger {
    private final Map<String, Long> totals = new HashMap<>();

    /** Adds an amount to an account, which is opened when it is first named by anybody. */
    public void add(String account, long amount) {
        totals.merge(account, amount, Long::sum);
    }

    @Override
    public String toString() {
        return totals.toString();
    }
}
"""
C = """#include <stdio.h>

struct point { int x; int y; };

/* Adds two numbers, with a comment that says so in more words than are strictly needed here. */
static int add(int a, int b)
{
    return a + b;
}

int main(int argc, char **argv)
{
    printf("%d is the sum of forty and two, as everybody knows by now\\n", add(40, 2));
    return 0;
}
"""
RUBY = """require "set"

module Shop
  class Cart
    # Adds an item, and keeps a list of everything that was ever added to the cart by anyone.
    def add(item)
      @items ||= []
      @items << item
    end

    def total = @items.sum(&:price)
  end
end
"""
SHELL = """#!/usr/bin/env bash
set -eu

# Says what is going on, to whoever is there to read it on the standard error of this script.
say() {
    printf '%s\\n' "$*" >&2
}

function deploy {
    say "deploying $1 to the place where it belongs, which may take a while"
    rsync -a "$1" "$2"
}

deploy "$@"
"""
CODE = {
    "go": GO, "typescript": TYPESCRIPT, "rust": RUST, "java": JAVA, "c": C, "ruby": RUBY,
    "shell": SHELL,
}  # fmt: skip


def letters(text: str) -> str:
    """A text without its white space."""
    return "".join(text.split())


def assert_whole(text: str, chunks: Sequence[Chunk]) -> None:
    """Everything of a text is in its chunks once, in order, on the lines that they name."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert "".join(letters(chunk.text) for chunk in chunks) == letters(text)
    at = 1
    for chunk in chunks:
        assert at <= chunk.first <= chunk.last <= len(lines)
        said = "\n".join(lines[chunk.first - 1 : chunk.last])
        assert chunk.text == said or (chunk.first == chunk.last and chunk.text in said)
        assert chunk.text.strip()
        at = chunk.last if chunk.first == chunk.last else chunk.last + 1
