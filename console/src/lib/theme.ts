// Light, dark, or as the system says.

import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "waypost.theme";

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

export const theme = signal<Theme>(stored());

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
  try {
    if (theme.value === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme.value);
  } catch {
    // Then it is forgotten with the page.
  }
});

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

export function turn(): void {
  theme.value = NEXT[theme.value];
}
