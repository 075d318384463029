/** Hosts that serve a name's website below their own name: `alice.eth.limo` belongs to alice.eth. */
const websites = /^(.+\.eth)\.(?:limo|link)$/;

/** A text that is sought, found in a URL: an address, a hash, or a name with a dot. */
const sought = /^(?:0x[0-9a-f]{40}|0x[0-9a-f]{64}|[^\s/]+\.[^\s/.]+)$/iu;

/**
 * What a visitor means who pasted the URL of another explorer, or a name with slashes at its end. Of a URL it is the name in
 * its host (`https://alice.eth.limo`), else the first part of its path, or value of its query, that is an address, a hash or
 * a name. The URL is only read, never fetched. Any other text is returned as it is, without spaces and quotes around it, and
 * without slashes at its end.
 *
 * @example meantBy("https://app.ens.domains/alice.eth?tab=records") // "alice.eth"
 */
export function meantBy(pasted: string): string {
  const text = pasted.replace(/^[\s"“”]+|[\s"“”]+$/gu, "");
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return text.replace(/\/+$/, "");
  const [, name] = url.hostname.match(websites) ?? [];
  if (name !== undefined) return name;
  const parts = [...url.pathname.split("/").map(decoded), ...url.searchParams.values()];
  return parts.find((part) => sought.test(part)) ?? text;
}

/** A part of a path, unchanged if its percent signs are not an encoding. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
