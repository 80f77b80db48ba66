// Drag, wheel and pinch on a drawing, as changes of the stretch that it shows.
import { useRef } from "preact/hooks";
import type { RefObject } from "preact";

export interface Change {
  by?: number;
  around?: number;
  move?: number;
}

const SLACK = 4;

export function useMoving(box: RefObject<HTMLElement | null>, left: number, change: (how: Change) => void) {
  const held = useRef(new Map<number, number>());
  const dragged = useRef(false);
  const share = (x: number) => {
    const area = box.current!.getBoundingClientRect();
    return Math.max(0, Math.min(1, (x - area.left - left) / (area.width - left)));
  };
  const plot = () => box.current!.clientWidth - left;
  return {
    onWheel: (event: WheelEvent) => {
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) change({ move: event.deltaX / plot() });
      // A page must scroll past a drawing; who has entered it means the drawing.
      else if (event.ctrlKey || event.metaKey || box.current!.contains(document.activeElement)) {
        change({ by: Math.exp(event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), around: share(event.clientX) });
      } else return;
      event.preventDefault();
    },
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      held.current.set(event.pointerId, event.clientX);
      if (held.current.size === 1) dragged.current = false;
      box.current!.focus({ preventScroll: true });
    },
    onPointerMove: (event: PointerEvent) => {
      const before = held.current.get(event.pointerId);
      if (before === undefined) return;
      if (held.current.size === 2) {
        const [other] = [...held.current].filter(([id]) => id !== event.pointerId).map(([, at]) => at) as [number];
        const was = Math.max(8, Math.abs(before - other)), is = Math.max(8, Math.abs(event.clientX - other));
        change({ by: was / is, around: share((event.clientX + other) / 2) });
        dragged.current = true;
      } else {
        if (!dragged.current && Math.abs(event.clientX - before) < SLACK) return;
        if (!dragged.current) (event.currentTarget as Element).setPointerCapture(event.pointerId);
        dragged.current = true;
        change({ move: (before - event.clientX) / plot() });
      }
      held.current.set(event.pointerId, event.clientX);
    },
    onPointerUp: (event: PointerEvent) => { held.current.delete(event.pointerId); },
    onPointerCancel: (event: PointerEvent) => { held.current.delete(event.pointerId); },
    onPointerLeave: (event: PointerEvent) => { held.current.delete(event.pointerId); },
    // Letting go after a drag is not a click.
    onClickCapture: (event: MouseEvent) => {
      if (dragged.current) event.stopPropagation();
      dragged.current = false;
    },
  };
}
