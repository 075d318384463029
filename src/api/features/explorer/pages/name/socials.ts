/** An account at another service, as a record of the name says. */
export type Social = {
  /** What people call the service. */
  service: string;
  /** The handle, or the record's text. */
  shown: string;
  /** Its page at the service; null where the service has no page by handle, or the record has no handle. */
  url: string | null;
};

/** Letters that stand in handles of these services; none of them ends a host or a path. */
const HANDLE = /^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,63}$/;

type Service = { service: string; hosts: readonly string[]; path: (handle: string) => string };

const x: Service = { service: "X", hosts: ["x.com", "twitter.com"], path: (handle) => `/${handle}` };

/** Services by the key of the record. The first host is the one that pages lead to. Sources: ENSIP-5, ENSIP-18. */
const services: Readonly<Record<string, Service>> = {
  "com.x": x,
  "com.twitter": x,
  "com.github": { service: "GitHub", hosts: ["github.com"], path: (handle) => `/${handle}` },
  "org.telegram": { service: "Telegram", hosts: ["t.me"], path: (handle) => `/${handle}` },
  "com.linkedin": { service: "LinkedIn", hosts: ["www.linkedin.com"], path: (handle) => `/in/${handle}` },
  "com.reddit": { service: "Reddit", hosts: ["www.reddit.com"], path: (handle) => `/user/${handle}` },
  "com.youtube": { service: "YouTube", hosts: ["www.youtube.com"], path: (handle) => `/@${handle}` },
  "com.warpcast": { service: "Farcaster", hosts: ["farcaster.xyz"], path: (handle) => `/${handle}` },
  "xyz.farcaster": { service: "Farcaster", hosts: ["farcaster.xyz"], path: (handle) => `/${handle}` },
  "io.keybase": { service: "Keybase", hosts: ["keybase.io"], path: (handle) => `/${handle}` },
  "com.discord": { service: "Discord", hosts: [], path: () => "" },
};

/**
 * The social accounts among a name's text records. A link always leads to the service's own host; a record that is not a
 * valid handle is shown as text.
 *
 * @example
 * socialsOf({ "com.github": "@alice" }); // [{ service: "GitHub", shown: "alice", url: "https://github.com/alice" }]
 */
export function socialsOf(texts: Readonly<Record<string, string>>): Social[] {
  const found = Object.entries(services).flatMap(([key, service]) => {
    const text = texts[key]?.trim();
    return text ? [socialOf(service, text)] : [];
  });
  // Two keys belong to one service.
  return found.filter((one, i) => found.findIndex((other) => isSame(one, other)) === i);
}

const isSame = (one: Social, other: Social): boolean =>
  one.service === other.service && one.shown.toLowerCase() === other.shown.toLowerCase();

function socialOf({ service, hosts, path }: Service, text: string): Social {
  const handle = handleIn(text, { hosts, path });
  const [host] = hosts;
  if (handle === null) return { service, shown: text, url: null };
  return { service, shown: handle, url: host === undefined ? null : `https://${host}${path(handle)}` };
}

/** The handle in a text: the text itself, or the end of the account's URL at the service. */
function handleIn(text: string, { hosts, path }: Pick<Service, "hosts" | "path">): string | null {
  const bare = text.replace(/^@/, "");
  if (HANDLE.test(bare)) return bare;
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isThere = hosts.some((host) => [host, `www.${host}`].includes(url.host)) && url.username === "";
  const before = path("");
  if (!isThere || !url.pathname.startsWith(before)) return null;
  const rest = url.pathname.slice(before.length).replace(/\/$/, "");
  return HANDLE.test(rest) ? rest : null;
}
