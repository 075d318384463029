/** An entry of a feed; times are unix seconds. */
export type FeedEntry = { id: string; title: string; text: string; updated: number; path: string };

type Feed = { title: string; id: string; updated: number; entries: readonly FeedEntry[] };

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** What XML 1.0 has no place for, and marks that turn the direction of the text around. */
const UNFIT =
  /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text of a stranger as XML: markup is text, and what XML forbids is shown as U+FFFD. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(UNFIT, "\ufffd")
    .replaceAll(/[&<>"']/g, (mark) => ENTITIES[mark] ?? "");

const inIso = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** A feed by RFC 4287. Links are relative to the root of the service, as the links of pages. */
export function feedFile({ title, id, updated, entries }: Feed): Response {
  const written = entries.map(
    (entry) => `<entry>
<id>${escaped(entry.id)}</id>
<title>${escaped(entry.title)}</title>
<updated>${inIso(entry.updated)}</updated>
<link href="../${escaped(entry.path)}"/>
<summary>${escaped(entry.text)}</summary>
</entry>
`,
  );
  const text = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escaped(id)}</id>
<title>${escaped(title)}</title>
<updated>${inIso(updated)}</updated>
<author><name>Namedex</name></author>
${written.join("")}</feed>
`;
  return new Response(text, {
    headers: {
      "Content-Type": "application/atom+xml; charset=utf-8",
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
