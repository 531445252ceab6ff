// Small drawings. They say nothing alone: a text is always beside them.

const PATHS: Record<string, string> = {
  overview: "M3 13h6V3H3zM11 17h6V9h-6zM11 7h6V3h-6zM3 17h6v-2H3z",
  instances: "M3 5h14M3 10h14M3 15h9",
  person: "M10 10a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM4 17c.5-3.2 3-5 6-5s5.500 1.800 6 5",
  work: "M4 7h12v9H4zM7.500 7V4.500h5V7M4 11h12",
  waiting: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 6.500V10l2.500 1.800",
  definitions: "M5 3h7l3 3v11H5zM12 3v3h3M8 10h4M8 13h4",
  table: "M3 4h14v12H3zM3 8h14M3 12h14M8 4v12",
  entity: "M10 3c4 0 6 1.200 6 2.500S14 8 10 8 4 6.800 4 5.500 6 3 10 3zM4 5.500v9C4 15.800 6 17 10 17s6-1.200 6-2.500v-9M4 10c0 1.300 2 2.500 6 2.500s6-1.200 6-2.500",
  lifecycle: "M16 8a6.500 6.500 0 0 0-12-1M4 3.500V7h3.500M4 12a6.500 6.500 0 0 0 12 1M16 16.500V13h-3.500",
  settings: "M4 6h6M14 6h2M4 14h2M10 14h6M12 4v4M8 12v4",
  chain: "M3 10h3M8 10h4M14 10h3M6 8h2v4H6zM12 8h2v4h-2z",
  process: "M3 4h5v4H3zM12 3h5v4h-5zM12 13h5v4h-5zM8 6h4M10 6v9h2",
  active: "M6 4l9 6-9 6z",
  completed: "M4 10.500l4 4 8-9",
  failed: "M10 3l8 14H2zM10 8v4M10 14.300v.400",
  cancelled: "M5 5l10 10M15 5L5 15",
  pending: "M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12z",
  search: "M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4zM13 13l4 4",
  sun: "M10 6.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM10 2v2M10 16v2M2 10h2M16 10h2M4.500 4.500l1.400 1.400M14.100 14.100l1.400 1.400M4.500 15.500l1.400-1.400M14.100 5.900l1.400-1.400",
  moon: "M16 12.500A6.500 6.500 0 1 1 8.500 4a5.200 5.200 0 0 0 7.500 8.500z",
  system: "M3 4h14v9H3zM7 17h6M10 13v4",
  menu: "M3 5h14M3 10h14M3 15h14",
  docs: "M4 4h5c.6 0 1 .4 1 1v11c0-.6-.4-1-1-1H4zM16 4h-5c-.6 0-1 .4-1 1v11c0-.6.4-1 1-1h5z",
  retry: "M4 10a6 6 0 1 1 1.800 4.300M4 16v-3.500h3.500",
  signal: "M4 17V3M4 4h10l-2 3 2 3H4",
};

export function Icon({ name }: { name: string }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name] ?? PATHS["pending"] ?? ""} />
    </svg>
  );
}
