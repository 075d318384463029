import type { IncomingMessage } from "node:http";

/** The body is larger than the gateway lets through. */
export class BodyTooLarge extends Error {
  override name = "BodyTooLarge";
}

/** The body of a request. It can be read again from its beginning if the first reader fails. */
export type Body = { read: () => AsyncIterable<Buffer> };

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/** @throws BodyTooLarge if the declared length is too large */
function refuseDeclared({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw new BodyTooLarge();
}

/**
 * Passes the parts of a body on as they arrive, and stores them (at most `maxBytes`) until the request is answered.
 *
 * @throws BodyTooLarge at once for a declared length, else while reading
 */
export function bodyOf(request: IncomingMessage, maxBytes: number): Body | null {
  if (!hasBody(request)) return null;
  refuseDeclared(request, maxBytes);
  const source = request[Symbol.asyncIterator]();
  const parts: Promise<IteratorResult<Buffer>>[] = [];
  const part = (index: number) => (parts[index] ??= source.next());
  return {
    async *read() {
      let bytes = 0;
      for (let index = 0; ; index++) {
        const { done, value } = await part(index);
        if (done) return;
        bytes += value.length;
        if (bytes > maxBytes) throw new BodyTooLarge();
        yield value;
      }
    },
  };
}
