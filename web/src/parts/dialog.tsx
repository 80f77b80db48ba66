import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "./basics";

/** A question that has to be answered first; Escape closes it, and focus comes back. */
export function Dialog({ title, onClose, children, wide }: {
  title: string; onClose: () => void; children: ComponentChildren; wide?: boolean;
}) {
  const box = useRef<HTMLDialogElement>(null);
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
    </dialog>
  );
}
