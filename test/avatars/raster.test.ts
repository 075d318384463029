import { describe, expect, test } from "vitest";
import { MAX_FRAMES, MAX_SIDE } from "../../src/api/features/avatars/bounds.ts";
import { rasterTypeOf } from "../../src/api/features/avatars/raster.ts";
import { gif, jpeg, png, SVG, webp } from "./pictures.ts";

const HTML = "<!doctype html><script>alert(1)</script>";

describe("the type of an image follows from its bytes", () => {
  test.each([
    ["image/png", png()],
    ["image/jpeg", jpeg()],
    ["image/gif", gif([2, 2])],
    ["image/webp", webp("VP8 ")],
    ["image/webp", webp("VP8L")],
    ["image/webp", webp("VP8X")],
  ])("%s", (type, bytes) => {
    expect(rasterTypeOf(bytes)).toBe(type);
    // A part of a larger buffer is read from its own beginning.
    expect(rasterTypeOf(Buffer.concat([Buffer.from("xx"), bytes]).subarray(2))).toBe(type);
  });

  test.each([
    ["SVG", SVG],
    ["SVG behind a byte order mark", `\ufeff<?xml version="1.0"?>${SVG}`],
    ["HTML", HTML],
    ["HTML that begins as a GIF, without a size", "GIF89a"],
    ["a text", "hello"],
    ["nothing", ""],
    ["PDF", "%PDF-1.7"],
    ["a bitmap of Windows", "BM\x36\0\0\0"],
  ])("%s is rejected", (_, text) => {
    expect(rasterTypeOf(Buffer.from(text))).toBeNull();
  });

  test("a file that is both an image and a page is served as an image", () => {
    expect(rasterTypeOf(Buffer.concat([png(), Buffer.from(HTML)]))).toBe("image/png");
    expect(rasterTypeOf(Buffer.from(`GIF89a/*${HTML}*/=1;`))).not.toBe("text/html");
  });
});

describe("an image that unpacks to very many pixels is rejected", () => {
  const kinds: [string, (width: number, height: number) => Buffer][] = [
    ["PNG", png],
    ["JPEG", jpeg],
    ["GIF, in a frame beyond its screen", (width, height) => gif([2, 2], [width, height])],
    ["WebP, simple", (width, height) => webp("VP8 ", width, height)],
    ["WebP, lossless", (width, height) => webp("VP8L", width, height)],
    ["WebP, extended", (width, height) => webp("VP8X", width, height)],
  ];

  test.each(kinds)("%s", (_, make) => {
    expect(rasterTypeOf(make(MAX_SIDE, MAX_SIDE))).not.toBeNull();
    expect(rasterTypeOf(make(MAX_SIDE + 1, 1))).toBeNull();
    expect(rasterTypeOf(make(1, MAX_SIDE + 1))).toBeNull();
  });

  test("with a side of zero", () => {
    expect(rasterTypeOf(png(0, 5))).toBeNull();
    expect(rasterTypeOf(jpeg(5, 0))).toBeNull();
  });

  test("as an animation with very many frames", () => {
    const frames = Array.from({ length: MAX_FRAMES }, (): [number, number] => [1, 1]);
    expect(rasterTypeOf(gif(...frames))).toBe("image/gif");
    expect(rasterTypeOf(gif(...frames, [1, 1]))).toBeNull();
  });
});

describe("a broken file ends the reading", () => {
  const whole = [png(), jpeg(), gif([2, 2], [3, 3]), webp("VP8 "), webp("VP8L"), webp("VP8X")];

  test("if cut off at any byte", () => {
    for (const bytes of whole) {
      for (let end = 0; end < bytes.length; end++)
        expect(() => rasterTypeOf(bytes.subarray(0, end))).not.toThrow();
    }
  });

  test("if JPEG segments point nowhere, or to themselves", () => {
    const head = [0xff, 0xd8, 0xff, 0xe0];
    expect(rasterTypeOf(Buffer.from([...head, 0, 0, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0]))).toBeNull();
    expect(rasterTypeOf(Buffer.from([...head, 0xff, 0xff, 0, 0, 0, 0, 0]))).toBeNull();
    expect(rasterTypeOf(Buffer.from([0xff, 0xd8, ...Array<number>(1_000_000).fill(0xff)]))).toBeNull();
  });

  test("if GIF blocks have no end", () => {
    expect(() =>
      rasterTypeOf(Buffer.concat([gif([2, 2]).subarray(0, 19), Buffer.alloc(100_000, 0xff)])),
    ).not.toThrow();
  });
});
