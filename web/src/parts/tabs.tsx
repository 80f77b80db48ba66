// A row of tabs: arrows step through them, as a screen reader says they do.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { toMiddle } from "../state/keys";

interface Tab<T extends string> {
  name: T;
  title: ComponentChildren;
}

export function Tabs<T extends string>({ label, tabs, chosen, onChoose, children }: {
  label: string; tabs: readonly Tab<T>[]; chosen: T; onChoose: (name: T) => void; children: ComponentChildren;
}) {
  useEffect(() => toMiddle(document.getElementById(`tab-${chosen}`)), [chosen]);
  const moved = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex((one) => one.name === chosen), next = tabs[(at + step + tabs.length) % tabs.length]!;
    onChoose(next.name);
    requestAnimationFrame(() => document.getElementById(`tab-${next.name}`)?.focus());
  };
  return (
    <>
      <div class="segments" role="tablist" aria-label={label} onKeyDown={moved}>
        {tabs.map(({ name, title }) => (
          <button key={name} id={`tab-${name}`} type="button" role="tab" aria-selected={name === chosen} aria-controls="tab-panel"
            tabIndex={name === chosen ? 0 : -1} onClick={() => onChoose(name)}>{title}</button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${chosen}`}>{children}</div>
    </>
  );
}
