/** Drawings of 24 by 24, as strokes. */
const strokes = {
  logo: [
    "M4 5.5A1.5 1.5 0 0 1 5.5 4H16l4 4v10.5a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 18.5z",
    "M8 10h8M8 14h5",
  ],
  search: ["M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14z", "M16.2 16.2L21 21"],
  copy: ["M9 9h10v11H9z", "M15 9V4H5v11h4"],
  code: ["M8 7l-5 5l5 5", "M16 7l5 5l-5 5"],
  calendar: ["M4 6h16v14H4z", "M4 10h16M8 3v4M16 3v4"],
  download: ["M12 4v11", "M7 11l5 5l5-5", "M5 20h14"],
  eye: ["M2 12c3-5 6.5-7 10-7s7 2 10 7c-3 5-6.5 7-10 7s-7-2-10-7z", "M12 9a3 3 0 1 0 0 6a3 3 0 0 0 0-6z"],
  warning: ["M12 3.5L22 20.5H2z", "M12 10v4.5M12 17v.5"],
  out: ["M14 4h6v6", "M20 4l-9 9", "M18 14v6H4V6h6"],
} as const;

export type IconName = keyof typeof strokes;

/** A drawing beside words; readers of the screen hear the words alone. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
    {strokes[name].map((d) => (
      <path d={d} />
    ))}
  </svg>
);
