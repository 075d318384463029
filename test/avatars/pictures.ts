import { deflateSync } from "node:zlib";

/** A PNG of one colour; `sides` may say anything. */
export function png(width = 2, height = 2): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.from([0, ...Array.from({ length: 2 }, () => [40, 90, 200]).flat()]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.concat([row, row]))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(kind: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, "latin1"), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc(body));
  return Buffer.concat([length, body, check]);
}

function crc(bytes: Buffer): number {
  let value = 0xff_ff_ff_ff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xed_b8_83_20 : value >>> 1;
  }
  return (value ^ 0xff_ff_ff_ff) >>> 0;
}

/** A GIF with frames of these sizes on a screen of 2 by 2. */
export const gif = (...frames: [width: number, height: number][]): Buffer =>
  Buffer.concat([
    Buffer.from("GIF89a", "latin1"),
    Buffer.from([2, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...frames.map(([width, height]) => {
      const place = Buffer.from([0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
      place.writeUInt16LE(width, 5);
      place.writeUInt16LE(height, 7);
      return Buffer.concat([
        Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0]),
        place,
        Buffer.from([2, 2, 0x4c, 1, 0]),
      ]);
    }),
    Buffer.from([0x3b]),
  ]);

/** The head of a JPEG, with a comment before the frame that has the size. */
export const jpeg = (width = 2, height = 2): Buffer => {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 4, 0x68, 0x69]),
    frame,
    Buffer.from([0xff, 0xd9]),
  ]);
};

/** The head of a WebP of one of its three forms. */
export function webp(form: "VP8 " | "VP8L" | "VP8X", width = 2, height = 2): Buffer {
  const body = Buffer.alloc(18);
  if (form === "VP8X") {
    body.writeUIntLE(width - 1, 4, 3);
    body.writeUIntLE(height - 1, 7, 3);
  } else if (form === "VP8L") {
    body[0] = 0x2f;
    body.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1);
  } else {
    body.set([0x9d, 0x01, 0x2a], 3);
    body.writeUInt16LE(width, 6);
    body.writeUInt16LE(height, 8);
  }
  return Buffer.concat([
    Buffer.from("RIFF\x1e\0\0\0WEBP", "latin1"),
    Buffer.from(`${form}\x12\0\0\0`, "latin1"),
    body,
  ]);
}

export const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`;

export const dataUri = (content: Buffer | string, type = "image/png"): string =>
  `data:${type};base64,${Buffer.from(content).toString("base64")}`;
