// A view whose code comes when it is first opened: those that are large are not in everybody's way.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Problem } from "../api/client";
import { Trouble, Waiting } from "../parts/basics";
import { standing } from "../state/feed";

type Shown = ComponentType<{ rest: string[] }>;

export function lazy(load: () => Promise<Shown>): Shown {
  const found = signal<{ View: Shown } | null>(null), problem = signal<Problem | null>(null);
  const ask = () => {
    problem.value = null;
    load().then((View) => { found.value = { View }; }, () => {
      problem.value = new Problem(0, "unreachable", "This view could not be loaded.",
        "The server may be away, and then this page goes on by itself; or newer than the page, which then has to be loaded again.", true);
    });
  };
  return function Lazy(props) {
    useEffect(() => { if (!found.peek()) ask(); }, []);
    useEffect(() => standing.subscribe((now) => { if (now === "live" && problem.peek()) location.reload(); }), []);
    if (found.value) return <found.value.View {...props} />;
    return problem.value ? <Trouble problem={problem.value} again={() => location.reload()} /> : <Waiting />;
  };
}
