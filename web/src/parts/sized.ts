// How large something is drawn, as that changes.
import { useSignal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

export function useSize(box: RefObject<HTMLElement | null>, side: "width" | "height", first: number): Signal<number> {
  const size = useSignal(first);
  useEffect(() => {
    const seen = new ResizeObserver(([entry]) => { size.value = entry?.contentRect[side] ?? first; });
    if (box.current) seen.observe(box.current);
    return () => seen.disconnect();
  }, []);
  return size;
}
