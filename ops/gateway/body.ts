import type { IncomingMessage } from "node:http";

/** The body is larger than the gateway lets through. */
export class BodyTooLarge extends Error {
  override name = "BodyTooLarge";
}

/** The bodies of this caller take all of its share. */
export class NoRoomForBody extends Error {
  override name = "NoRoomForBody";
}

/** The largest body, and a function that reserves room for a part of one: false if there is no room. */
type BodyLimits = { maxBytes: number; takeRoom: (bytes: number) => boolean };

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/**
 * Reads the whole body, so that no indexer waits for a caller who sends it slowly, and so that it can be sent again.
 *
 * @throws BodyTooLarge at once for a declared length, else while reading; NoRoomForBody; or the error of a caller who left
 */
export async function readBody(
  request: IncomingMessage,
  { maxBytes, takeRoom }: BodyLimits,
): Promise<Buffer | null> {
  if (!hasBody(request)) return null;
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw new BodyTooLarge();
  const parts: Buffer[] = [];
  let bytes = 0;
  // The connection stays open where the body is refused: it gets the answer.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) throw new BodyTooLarge();
    if (!takeRoom(part.length)) throw new NoRoomForBody();
    parts.push(part);
  }
  return Buffer.concat(parts);
}
