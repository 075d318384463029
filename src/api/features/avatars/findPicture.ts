import type { Address } from "viem";
import type { Outgoing } from "../../server/outgoing/outgoing.ts";
import { turnFor } from "../../server/scheduling/turns.ts";
import { readSource, type Source, type Token } from "./avatarUri.ts";
import { MAX_BRACKETS, MAX_METADATA } from "./bounds.ts";
import { type RasterType, rasterTypeOf } from "./raster.ts";
import { readTokenUri, type TokenReach } from "./token.ts";

/** A picture that may be shown, as it came. */
export type Picture = { type: RasterType; content: Uint8Array };

/** What a name says of its picture: the record, and the Ethereum address that has to hold it if it is a token. */
export type AvatarRecord = { text: string; holder: Address | null };

/** By what pictures are found. Each `ask` throws where there is no usable answer. */
export type PictureReach = {
  /** The guard: hosts that strangers named. */
  strangers: Pick<Outgoing, "ask">;
  /** The operator's IPFS gateway; null if none. */
  ipfs: { base: URL; outgoing: Pick<Outgoing, "ask"> } | null;
  /** A chain's nodes; null for a chain without nodes. */
  chain: (chainId: number) => TokenReach | null;
  /** Waits until the chain may be asked for one more token. @throws LiveFailure if too many wait already */
  takeTurn: (signal: AbortSignal) => Promise<void>;
  /** Runs a request when the host has room for it. */
  atHost: <Result>(host: string, ask: () => Promise<Result>) => Promise<Result>;
  signal: AbortSignal;
};

/**
 * The picture of an avatar record; null if there is none that may be shown.
 *
 * @throws OutgoingError, LiveFailure where a host or a node gives no usable answer
 */
export async function findPicture(
  reach: PictureReach,
  { text, holder }: AvatarRecord,
): Promise<Picture | null> {
  const source = readSource(text);
  if (source?.kind !== "token") return pictureAt(reach, source);
  const described = holder && (await describedImage(reach, source.token, holder));
  return described ? pictureAt(reach, readSource(described)) : null;
}

/** A token that is described by a token leads nowhere. */
async function pictureAt(reach: PictureReach, source: Source | null): Promise<Picture | null> {
  const content = source && (await contentOf(reach, source));
  const type = content && rasterTypeOf(content);
  return type ? { type, content } : null;
}

async function contentOf(reach: PictureReach, source: Source): Promise<Uint8Array | null> {
  if (source.kind === "content") return source.content;
  if (source.kind === "url") return askAt(reach, reach.strangers, source.url);
  if (source.kind === "token" || reach.ipfs === null) return null;
  const { base, outgoing } = reach.ipfs;
  return askAt(reach, outgoing, new URL(source.path, base));
}

async function askAt(
  { atHost, signal }: PictureReach,
  outgoing: Pick<Outgoing, "ask">,
  url: URL,
): Promise<Uint8Array | null> {
  const { status, body } = await atHost(url.host, () => outgoing.ask(url, { method: "GET", signal }));
  return status >= 200 && status <= 299 ? body : null;
}

/** What the description of a token, which its contract names, gives as its image. */
async function describedImage(reach: PictureReach, token: Token, holder: Address): Promise<string | null> {
  const chain = reach.chain(token.chainId);
  if (chain === null) return null;
  await reach.takeTurn(reach.signal);
  const uri = await readTokenUri(chain, token, holder);
  const source = uri === null ? null : readSource(uri);
  const content = source && (await contentOf(reach, source));
  if (!content || content.length > MAX_METADATA) return null;
  await turnFor(content.length);
  return imageIn(new TextDecoder().decode(content));
}

/** JSON of nothing but brackets takes long to read. */
function imageIn(text: string): string | null {
  if (text.split(/[[{]/, MAX_BRACKETS + 2).length > MAX_BRACKETS + 1) return null;
  try {
    const described = (JSON.parse(text) ?? {}) as Record<string, unknown>;
    const named = described.image ?? described.image_url;
    return typeof named === "string" ? named : null;
  } catch {
    return null;
  }
}
