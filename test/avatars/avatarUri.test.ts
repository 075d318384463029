import { describe, expect, test } from "vitest";
import { readSource } from "../../src/api/features/avatars/avatarUri.ts";
import { MAX_BYTES, MAX_URI } from "../../src/api/features/avatars/bounds.ts";
import { cpuOf } from "../support/cpu.ts";
import { dataUri } from "./pictures.ts";

const CID = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
const CONTRACT = "0x06012c8cf97bead5deae237070f9587f8e7a266d";

describe("an avatar record", () => {
  test("contains the image itself", () => {
    const text = (source: ReturnType<typeof readSource>) =>
      source?.kind === "content" ? Buffer.from(source.content).toString() : null;
    expect(text(readSource(dataUri("hello")))).toBe("hello");
    expect(text(readSource("DATA:image/png; base64 ,aGVsbG8="))).toBe("hello");
    expect(text(readSource("data:,%68ello%"))).toBe("hello%");
    expect(text(readSource(`data:application/json;utf8,{"name":"•"}`))).toBe(`{"name":"•"}`);
    expect(readSource("data:no comma")).toBeNull();
    expect(readSource(`data:,${"x".repeat(MAX_BYTES)}`)?.kind).toBe("content");
    expect(readSource(`data:,${"x".repeat(MAX_BYTES + 1)}`)).toBeNull();
  });

  test.each(["%", "%4", "%zz", "%41"])("is read quickly if it is a megabyte of `%s`", async (part) => {
    const text = `data:,${part.repeat(Math.floor(MAX_BYTES / part.length))}`;
    expect(await cpuOf(() => expect(readSource(text)?.kind).toBe("content"))).toBeLessThan(100);
  });

  test("keeps percent signs that are not escapes", () => {
    const source = readSource("data:,%%41%4%4G%g4%fF%");
    expect(source?.kind === "content" && Buffer.from(source.content).toString("latin1")).toBe(
      "%A%4%4G%g4\xff%",
    );
  });

  test("contains a URL", () => {
    const source = readSource("https://pictures.example/1.png?size=2#top");
    expect(source?.kind === "url" && source.url.href).toBe("https://pictures.example/1.png?size=2#top");
    expect(readSource(`https://pictures.example/${"x".repeat(MAX_URI)}`)).toBeNull();
  });

  test.each([
    [`ipfs://${CID}`, `ipfs/${CID}`],
    [`ipfs://ipfs/${CID}/a b/1.png`, `ipfs/${CID}/a%20b/1.png`],
    [`IPFS://${CID}/1.png?x=../..#y`, `ipfs/${CID}/1.png`],
    ["ipns://docs.ens.domains/logo.png", "ipns/docs.ens.domains/logo.png"],
    [`ipfs://${CID}/%2541`, `ipfs/${CID}/%2541`],
  ])("is on IPFS: %s", (text, path) => {
    expect(readSource(text)).toEqual({ kind: "ipfs", path });
  });

  test.each([
    `ipfs://${CID}/../../admin`,
    `ipfs://${CID}/%2e%2e/admin`,
    `ipfs://${CID}/%2E./admin`,
    `ipfs://${CID}/..%2fadmin`,
    `ipfs://${CID}/a%5c..%5cadmin`,
    `ipfs://${CID}/%ff`,
    "ipfs://../admin",
    "ipfs://@host/",
    "ipfs://",
  ])("does not leave the gateway's content: %s", (text) => {
    expect(readSource(text)).toBeNull();
  });

  test("names a token", () => {
    expect(readSource(`eip155:1/erc721:${CONTRACT}/771769`)).toEqual({
      kind: "token",
      token: { chainId: 1, standard: "erc721", contract: CONTRACT, id: 771769n },
    });
    expect(readSource(`eip155:8453/ERC1155:${CONTRACT.toUpperCase().replace("0X", "0x")}/0`)).toMatchObject({
      token: { chainId: 8453, standard: "erc1155", contract: CONTRACT, id: 0n },
    });
    for (const text of [
      `eip155:1/erc20:${CONTRACT}/1`,
      `eip155:1/erc721:${CONTRACT}`,
      `eip155:1/erc721:${CONTRACT}/${2n ** 256n}`,
      `eip155:1/erc721:${CONTRACT}/-1`,
      `eip155:one/erc721:${CONTRACT}/1`,
      "eip155:1/erc721:0x12/1",
    ])
      expect([text, readSource(text)]).toEqual([text, null]);
  });

  test.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "ftp://pictures.example/",
    "alice",
    "",
    "//host/x",
  ])("is rejected: %s", (text) => expect(readSource(text)).toBeNull());
});
