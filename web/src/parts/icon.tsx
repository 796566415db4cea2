/** Outline icons on a grid of 24, drawn with one path each. */
const paths = {
  plus: "M12 5v14M5 12h14",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M20 20l-4-4",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  close: "M6 6l12 12M18 6L6 18",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M8 8h8v8H8z",
  clip: "M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7L9.5 17a1.7 1.7 0 0 1-2.4-2.4L15 6.8",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01",
  pin: "M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v5",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  redo: "M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6",
  undo: "M9 7L4 12l5 5M4 12h10a6 6 0 0 1 0 12h-1",
  fork: "M7 4v16M7 8c0 5 10 3 10 8v4M17 4v4",
  chevron: "M9 6l6 6-6 6",
  left: "M15 6l-6 6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  tool: "M14.5 5.5a4 4 0 0 0 4.6 5.4L20 12l-8 8-4-4 8-8-1.1-.9M5 20l3-3",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  compare: "M5 20V10M12 20V4M19 20v-7",
  gateway: "M4 7h10M10 3l4 4-4 4M20 17H10M14 13l-4 4 4 4",
  settings:
    "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M8 14.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5",
  fold: "M4 12h16M8 5l4 4 4-4M8 19l4-4 4 4",
  play: "M8 5l11 7-11 7z",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  archive: "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
  handover: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h4",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  check: "M5 12l5 5 9-10",
  warn: "M12 4l9 16H3zM12 10v4M12 17h.01",
  eye: "M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5",
  chat: "M4 5h16v11H10l-5 4v-4H4z",
  frames: "M4 6h16v12H4zM8 6v12M16 6v12M4 10h4M4 14h4M16 10h4M16 14h4",
  chart: "M4 19h16M5 15l4-5 4 3 6-8",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      className={name === "more" ? "icon dots" : "icon"}
      viewBox="0 0 24 24"
      width={size}
      height={size}
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
