// The screens: what they are called, where they are, and which keys lead there.

export interface Place {
  name: string;
  href: string;
  /** After `g`. */
  key: string;
  icon: string;
}

export const PLACES: { title: string; places: Place[] }[] = [
  {
    title: "Now",
    places: [
      { name: "Overview", href: "/", key: "o", icon: "overview" },
      { name: "Instances", href: "/console/instances", key: "i", icon: "instances" },
      { name: "Incidents", href: "/console/incidents", key: "x", icon: "failed" },
      { name: "User tasks", href: "/console/tasks", key: "t", icon: "person" },
      { name: "Jobs & workers", href: "/console/work", key: "w", icon: "work" },
      { name: "Timers", href: "/console/timers", key: "m", icon: "waiting" },
    ],
  },
  {
    title: "Made of",
    places: [
      { name: "Definitions", href: "/console/definitions", key: "d", icon: "definitions" },
      { name: "Decision tables", href: "/console/tables", key: "b", icon: "table" },
      { name: "Entities", href: "/console/entities", key: "e", icon: "entity" },
      { name: "Lifecycles", href: "/console/lifecycles", key: "l", icon: "lifecycle" },
    ],
  },
  {
    title: "Server",
    places: [{ name: "Settings & health", href: "/console/settings", key: "s", icon: "settings" }],
  },
];

export const ALL: Place[] = PLACES.flatMap((it) => it.places);
