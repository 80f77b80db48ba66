// How much room there is, for what cannot be told to a stylesheet.
import { signal } from "@preact/signals";

const tight = matchMedia("(max-width: 1240px)");

/** Whether a table beside the menu has room for its most important columns alone. */
export const isTight = signal(tight.matches);
tight.addEventListener("change", () => { isTight.value = tight.matches; });
