// What a person has chosen for this browser.
import { effect, signal } from "@preact/signals";
import { me } from "./session";

export type Theme = "auto" | "light" | "dark";

const THEMES: readonly Theme[] = ["auto", "light", "dark"];
const chosen = localStorage.getItem("lamina.theme");
export const theme = signal<Theme>(THEMES.find((one) => one === chosen) ?? "auto");
/** The project in force; empty for all that is visible. */
export const project = signal(localStorage.getItem("lamina.project") ?? "");

effect(() => {
  localStorage.setItem("lamina.theme", theme.value);
  if (theme.value === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme.value;
});
effect(() => localStorage.setItem("lamina.project", project.value));
// Who sees one project alone has none to choose; what somebody else chose here would be refused everywhere.
effect(() => { if (me.value?.root) project.value = ""; });
