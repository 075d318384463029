import { createHash } from "node:crypto";

/** Cells of a side. The right half mirrors the left one, so that the eye finds a shape. */
const SIDE = 5;
const HALF = Math.ceil(SIDE / 2);

type Drawing = { hue: number; path: string };

/**
 * The drawing of an address: the same on each page. It follows from a hash of the address, because addresses that begin alike
 * should not look alike. It has 15 bits and a colour: it helps the eye, and proves nothing.
 */
export function drawingOf(address: string): Drawing {
  const bytes = createHash("sha256").update(address.toLowerCase()).digest();
  const isFilled = (x: number, y: number): boolean => {
    const column = x < HALF ? x : SIDE - 1 - x;
    return (bytes[y * HALF + column] ?? 0) >= 128;
  };
  const cells = Array.from({ length: SIDE * SIDE }, (_, i) => ({ x: i % SIDE, y: Math.floor(i / SIDE) }));
  const path = cells
    .filter(({ x, y }) => isFilled(x, y))
    .map(({ x, y }) => `M${x} ${y}h1v1h-1z`)
    .join("");
  return { hue: ((bytes[30] ?? 0) * 256 + (bytes[31] ?? 0)) % 360, path };
}

/** A small drawing for an address, generated here without a request. Screen readers skip it. */
export const Identicon = ({ address }: { address: string }) => {
  const { hue, path } = drawingOf(address);
  return (
    <svg class="identicon" viewBox="-1 -1 7 7" width="20" height="20" aria-hidden="true" focusable="false">
      <path d={path} fill={`hsl(${hue} 60% 50%)`} />
    </svg>
  );
};
