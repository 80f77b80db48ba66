// Figures that the server makes anew only now and then: it says when, and then they are asked for.
import { useEffect } from "preact/hooks";
import type { Loaded } from "./loading";

const LEAST_MS = 500;

interface When {
  /** Also where the server says nothing. */
  every?: number;
  least?: number;
}

/** Ask again when the server says so, and otherwise every so often; not while nobody looks. */
export function useAgain<T extends { again_ms: number | null }>({ value, again }: Loaded<T>, { every, least = LEAST_MS }: When): void {
  const told = value.value;
  useEffect(() => {
    const ms = told && (told.again_ms ?? every);
    if (ms === null || ms === undefined) return undefined;
    const seen = () => { if (!document.hidden) again(); };
    const waiting = setTimeout(() => {
      if (document.hidden) document.addEventListener("visibilitychange", seen, { once: true });
      else again();
    }, Math.max(least, Math.min(ms, every ?? ms)));
    return () => {
      clearTimeout(waiting);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [told]);
}
