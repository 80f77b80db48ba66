// The time that passes while a page is open: ages grow on the screen as they do in the world.
import { signal } from "@preact/signals";

/** Changes every second. */
export const second = signal(0);
/** Changes every ten seconds, for what says minutes and more. */
export const moment = signal(0);

setInterval(() => {
  // Nobody looks at a page in the background.
  if (document.hidden) return;
  second.value++;
  if (second.value % 10 === 0) moment.value++;
}, 1_000);
