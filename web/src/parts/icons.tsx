// Drawn here, so that nothing is fetched from anywhere.
const PATHS: Record<string, string> = {
  overview: "M3 12h4l3-8 4 16 3-8h4",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM16 16l5 5",
  knowledge: "M12 3 3 7.5 12 12l9-4.5L12 3ZM3 12l9 4.5 9-4.5M3 16.5 12 21l9-4.5",
  agents: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM4 21c0-4 3.6-6 8-6s8 2 8 6",
  board: "M4 5h16v11H4zM9 20h6M12 16v4M8 9h4M8 12h7",
  tasks: "M4 6l2 2 3-4M4 16l2 2 3-4M13 6h7M13 17h7",
  review: "M4 5h16v14H4zM4 14h5l1.5 2.5h3L15 14h5",
  feed: "M5 19a14 14 0 0 1 14-14M5 12a7 7 0 0 1 7-7M5 5h.01",
  erase: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  transfer: "M8 4v13M4 13l4 4 4-4M16 20V7M12 11l4-4 4 4",
  close: "M6 6l12 12M18 6 6 18",
  help: "M9 9a3 3 0 1 1 4.2 2.7c-.8.4-1.2 1-1.2 2.3M12 18h.01",
  out: "M14 4H5v16h9M10 12h10M17 8l4 4-4 4",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19",
};

export function Icon({ name, size = 18 }: { name: string; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name] ?? ""} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg class="logo" width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M16 17 4 23l12 6 12-6z" opacity=".4" />
      <path d="M16 10 4 16l12 6 12-6z" opacity=".7" />
      <path d="M16 3 4 9l12 6 12-6z" class="solid" />
    </svg>
  );
}
