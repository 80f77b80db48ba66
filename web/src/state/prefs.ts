// What a person has chosen for this browser.
import { effect, signal } from "@preact/signals";

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
