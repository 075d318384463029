import type { Child } from "hono/jsx";

/** Emoji may hold characters that join others, and are shown as they are. */
const EMOJI =
  /[0-9#*]\ufe0f?\u20e3|(?:\p{Extended_Pictographic}|\p{Regional_Indicator})[\ufe0f\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]*(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*)*/u;

/**
 * Characters that are invisible, that change the order of others, or that look like a space. A run of combining marks
 * longer than any language has would cover the lines above.
 */
const UNSEEN =
  /\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Variation_Selector}|\p{Default_Ignorable_Code_Point}|\u2800|\p{M}{5,}/u;

const PIECES = new RegExp(`(${EMOJI.source})|(\\n|\\t)|(${UNSEEN.source})`, "gu");

/** Marks of one run that are named; the others are counted. */
const MAX_NAMED = 8;

/** A text as strangers wrote it: never markup, apart from the words around it, and with every unseen character named. */
export const Text = ({ children }: { children: string }) => <bdi class="theirs">{visible(children)}</bdi>;

/** The text in pieces, with unseen characters as their code points. */
export function visible(text: string): Child[] {
  const pieces: Child[] = [];
  let end = 0;
  for (const match of text.matchAll(PIECES)) {
    if (match[3] === undefined) continue;
    pieces.push(text.slice(end, match.index), <Unseen text={match[3]} />);
    end = match.index + match[3].length;
  }
  return [...pieces, text.slice(end)];
}

const Unseen = ({ text }: { text: string }) => {
  const points = [...text].map(codePointOf);
  const named = points.slice(0, MAX_NAMED).join(" ");
  return (
    <span class="unseen-char">
      {named}
      {points.length > MAX_NAMED && ` and ${points.length - MAX_NAMED} more`}
    </span>
  );
};

/** `U+202E`. */
export const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Characters of a long value that are shown at once, and those that can be unfolded. The JSON has the rest. */
export const SHOWN_AT_ONCE = 240;
export const SHOWN_UNFOLDED = 2_000;

/** A value that may be long: its beginning, the rest to unfold, and where all of it is. */
export const LongText = ({ text, url }: { text: string; url?: string }) => {
  if (text.length <= SHOWN_AT_ONCE) return <Text>{text}</Text>;
  const isCut = text.length > SHOWN_UNFOLDED;
  return (
    <>
      <details class="long">
        <summary>
          <Text>{`${wellFormed(text.slice(0, SHOWN_AT_ONCE))}…`}</Text>
          <span class="more">{`Show ${isCut ? "more" : "all"} of ${text.length.toLocaleString("en")} characters`}</span>
        </summary>
        <Text>{`${wellFormed(text.slice(0, SHOWN_UNFOLDED))}${isCut ? "…" : ""}`}</Text>
      </details>
      {isCut && url !== undefined && (
        <a class="all-of-it" href={url}>
          The whole value as JSON
        </a>
      )}
    </>
  );
};

/** A cut may leave half of a character. */
const wellFormed = (text: string): string => text.replace(/[\ud800-\udbff]$/, "");
