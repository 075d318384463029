import type { Given } from "./check.ts";

/** The variables that hold URLs with credentials. Ponder reads DATABASE_PRIVATE_URL too. */
const urlVariable =
  /^(RPC_URL_\d+|LOG_SOURCE|LOG_SOURCE_\d+|LIVE_RPC_URL|MPP_RPC_URL|DATABASE_URL|SERVICE_DATABASE_URL|DATABASE_PRIVATE_URL|INDEXERS|LABEL_HEALING_URL)$/;

/** The variables that are a secret as a whole; PostgreSQL's client reads PGPASSWORD. */
const secretVariable = /^(MPP_SECRET_KEY|WEBHOOK_SECRET_KEY|PGPASSWORD|POSTGRES_PASSWORD)$/;

/**
 * A shorter part of a URL is not looked for by itself: it would be found in words that have nothing to do with it. The
 * URL as a whole is.
 */
export const LEAST_SECRET_LENGTH = 6;

const HIDDEN = "[hidden]";

/** A part of a path that is a word (`mainnet`, `archive-node`), as the log has it in other places. */
const isWord = (part: string): boolean => /^[a-z-]{1,15}$/.test(part);

/** What may be shown of a URL: its scheme, if it is given with one, and its host. */
const shownOf = (text: string, { protocol, host }: URL): string =>
  hasScheme(text) ? `${protocol}//${host}` : host;

const hasScheme = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** A text as programs may print it: as it is, decoded, and inside JSON. */
function formsOf(text: string): string[] {
  const forms = [text];
  try {
    forms.push(decodeURIComponent(text));
  } catch {
    // A percent sign that encodes nothing: the text has one form.
  }
  return forms.flatMap((form) => [form, JSON.stringify(form).slice(1, -1)]);
}

/** The URL as it is given, as `URL` writes it, and as `fetch` gets it, without user and password. */
function wholesOf(text: string, url: URL): string[] {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  const wholes = [text, url.href, bare.href];
  return [...wholes, ...wholes.map((whole) => whole.replace(/\/$/, ""))];
}

/** The parts of a URL of a node that can be a key, alone and together. */
function partsOfNode({ username, password, pathname, search, searchParams }: URL): string[] {
  const pieces = [...pathname.split("/"), ...searchParams.values()].filter((part) => !isWord(part));
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const wholes = [pathname + search, pathname, search].filter((part) => !isWord(part.replaceAll("/", "")));
  return [
    username,
    password,
    `${username}:${password}`,
    Buffer.from(login).toString("base64"),
    ...wholes,
    ...pieces,
  ];
}

/** Of a database the user, the host and the name may be shown, and a password that is one of these. */
function partsOfDatabase({ username, password, pathname, searchParams }: URL): string[] {
  const isShown = [username, pathname.slice(1)].includes(password);
  return [isShown ? "" : password, searchParams.get("password") ?? ""];
}

/** A wrong setting may lack the scheme: `localhost:42069` is a host and a port, not a scheme and a path. */
function addUrl(replacements: Map<string, string>, text: string): void {
  const address = hasScheme(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) return;
  const url = new URL(address);
  const parts = /^https?:$|^wss?:$/.test(url.protocol) ? partsOfNode(url) : partsOfDatabase(url);
  for (const part of parts.flatMap(formsOf)) {
    if (part.length >= LEAST_SECRET_LENGTH) replacements.set(part, HIDDEN);
  }
  const shown = shownOf(text, url);
  for (const whole of hasScheme(text) ? wholesOf(text, url) : [text]) {
    if (whole.replace(/\/$/, "") !== shown) replacements.set(whole, shown);
  }
}

/** What to replace in a text that anyone may read, and with what. */
function secretsOf(env: Given): Map<string, string> {
  const replacements = new Map<string, string>();
  for (const [name, value = ""] of Object.entries(env)) {
    if (urlVariable.test(name)) for (const url of value.split(",")) addUrl(replacements, url.trim());
    if (secretVariable.test(name) && value.length >= LEAST_SECRET_LENGTH) {
      for (const form of formsOf(value)) replacements.set(form, HIDDEN);
    }
  }
  return replacements;
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Returns a function that reduces the URLs of the settings to their hosts, anywhere in a text. */
export function secretHider(env: Given): (text: string) => string {
  const replacements = secretsOf(env);
  if (replacements.size === 0) return (text) => text;
  const longestFirst = [...replacements.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escapeRegExp).join("|"), "g");
  return (text) => text.replace(pattern, (found) => replacements.get(found) ?? HIDDEN);
}

declare global {
  /** What hides secrets now, and where: `ponder dev` reads the settings again after each edit. */
  var namedexHiding: { hide: (text: string) => string; streams: Set<NodeJS.WriteStream> } | undefined;
}

/** A text of others as callers may read it: without the secrets of the settings that this process hides. */
export const withoutSecrets = (text: string): string => globalThis.namedexHiding?.hide(text) ?? text;

/**
 * Hides the secrets of the settings in all that is written to these streams from now on, and in an error that ends the
 * process. Messages of libraries have URLs with keys in them, and no rule for such messages would know them all.
 */
export function hideSecrets(env: Given, streams: readonly NodeJS.WriteStream[]): void {
  const isFirst = globalThis.namedexHiding === undefined;
  globalThis.namedexHiding ??= { hide: (text) => text, streams: new Set() };
  const hiding = globalThis.namedexHiding;
  hiding.hide = secretHider(env);
  for (const stream of streams) {
    if (hiding.streams.has(stream)) continue;
    hiding.streams.add(stream);
    hideIn(stream, (text) => hiding.hide(text));
  }
  if (isFirst) process.on("uncaughtExceptionMonitor", (error) => hideInError(error, hiding.hide));
}

function hideIn(stream: NodeJS.WriteStream, hide: (text: string) => string): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  const hideChunk = (chunk: unknown): unknown => {
    const text = chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : String(chunk);
    const hidden = hide(text);
    return hidden === text ? chunk : hidden;
  };
  stream.write = ((chunk: unknown, ...rest: unknown[]) =>
    write(hideChunk(chunk), ...rest)) as typeof stream.write;
}

/** How deep the causes of an error are looked through: more than libraries nest. */
const MOST_CAUSES = 10;

/** Node prints the error that ends a process past the streams: its texts and its causes' are replaced in place. */
function hideInError(error: unknown, hide: (text: string) => string, depth = 0): void {
  if (typeof error !== "object" || error === null || depth > MOST_CAUSES) return;
  for (const key of Object.getOwnPropertyNames(error)) {
    const holder = error as Record<string, unknown>;
    const value = holder[key];
    if (typeof value === "object") hideInError(value, hide, depth + 1);
    if (typeof value === "string" && hide(value) !== value) holder[key] = hide(value);
  }
}
