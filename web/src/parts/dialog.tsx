import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./basics";
import { Toasts } from "./toasts";

/** How many dialogs are open: what is said meanwhile is said in them. */
export const asking = signal(0);

/** A question that has to be answered first; Escape closes it, and focus comes back. */
export function Dialog({ title, onClose, children, wide }: {
  title: string; onClose: () => void; children: ComponentChildren; wide?: boolean;
}) {
  const box = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    asking.value++;
    return () => { asking.value--; };
  }, []);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.showModal();
    return () => { if (before instanceof HTMLElement) before.focus(); };
  }, []);
  return (
    <dialog ref={box} class={wide ? "wide" : ""} aria-label={title} onClose={onClose}
      onClick={(event) => { if (event.target === box.current) onClose(); }}>
      <div class="dialog-head">
        <h2>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      {children}
      {/* All outside is out of reach, for screen readers too. */}
      <Toasts />
    </dialog>
  );
}
