// Figures that the server makes anew only now and then: it says when, and then they are asked for.
import { useEffect } from "preact/hooks";
import type { Loaded } from "../../state/loading";

const LEAST_MS = 500;

/** Ask again when the server says so, and otherwise every so often; not while nobody looks. */
export function useAgain<T extends { again_ms: number | null }>({ value, again }: Loaded<T>, every?: number): void {
  const told = value.value;
  useEffect(() => {
    const ms = told && (told.again_ms ?? every);
    if (ms === null || ms === undefined) return undefined;
    const seen = () => { if (!document.hidden) again(); };
    const waiting = setTimeout(() => {
      if (document.hidden) document.addEventListener("visibilitychange", seen, { once: true });
      else again();
    }, Math.max(LEAST_MS, Math.min(ms, every ?? ms)));
    return () => {
      clearTimeout(waiting);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [told]);
}
