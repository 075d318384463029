import { MAX_FRAMES, MAX_SIDE } from "./bounds.ts";

export type RasterType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

type Size = { width: number; height: number };

/** Reads the size of a picture from its head; null where the head is not one of this kind. */
type Read = (bytes: Buffer) => Size | null;

const kinds: readonly [type: RasterType, read: Read][] = [
  ["image/png", readPng],
  ["image/jpeg", readJpeg],
  ["image/gif", readGif],
  ["image/webp", readWebp],
];

/**
 * The raster format of the bytes, judged by content alone. Null for everything else (SVG can contain scripts), and for
 * a picture with a side over {@link MAX_SIDE} pixels.
 */
export function rasterTypeOf(content: Uint8Array): RasterType | null {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  for (const [type, read] of kinds) {
    const size = read(bytes);
    if (size !== null) return isShowable(size) ? type : null;
  }
  return null;
}

const isShowable = ({ width, height }: Size): boolean =>
  width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE;

const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");

function readPng(bytes: Buffer): Size | null {
  if (bytes.length < 24 || !bytes.subarray(0, PNG.length).equals(PNG)) return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Markers of JPEG that begin a frame, which has the size. Those between them are tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Goes from segment to segment; each has two bytes at least. */
function readJpeg(bytes: Buffer): Size | null {
  if (bytes.length < 4 || bytes.readUInt32BE(0) >>> 8 !== 0xff_d8_ff) return null;
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1; // Filling.
      continue;
    }
    if (isFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2 || marker === 0xda) return null;
    at += 2 + length;
  }
  return null;
}

/** Bytes of a table of colours, by the flags that announce it. */
const coloursOf = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Each frame of an animation has a size of its own; browsers make room for the largest. */
function readGif(bytes: Buffer): Size | null {
  if (bytes.length < 13 || !/^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6))) return null;
  const size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  let at = 13 + coloursOf(bytes.readUInt8(10));
  for (let frames = 0; at < bytes.length && bytes[at] !== 0x3b; ) {
    if (bytes[at] === 0x21) {
      at = afterBlocks(bytes, at + 2); // An extension: its label, then blocks.
    } else if (bytes[at] === 0x2c && at + 10 <= bytes.length) {
      if (++frames > MAX_FRAMES) return { width: 0, height: 0 };
      size.width = Math.max(size.width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5));
      size.height = Math.max(size.height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7));
      at = afterBlocks(bytes, at + 11 + coloursOf(bytes.readUInt8(at + 9)));
    } else {
      return size; // What follows is not of the picture.
    }
  }
  return size;
}

/** Skips blocks that begin with their length, up to an empty one. */
function afterBlocks(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes.readUInt8(at);
  return at + 1;
}

/** Source: RFC 9649. The three forms have their size in three ways. */
function readWebp(bytes: Buffer): Size | null {
  const isWebp = bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP";
  if (!isWebp || bytes.length < 30) return null;
  const form = bytes.toString("latin1", 12, 16);
  if (form === "VP8X") return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (form === "VP8L" && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (form === "VP8 " && bytes.readUIntBE(23, 3) === 0x9d_01_2a) {
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  }
  return null;
}
