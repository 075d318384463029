import { ens_normalize, ens_split } from "@adraffy/ens-normalize";
import { nodeOfName, UNKNOWN_LABEL } from "../../../names/schemas/input.ts";
import { Icon } from "./icon.tsx";
import { codePointOf, Text, visible } from "./text.tsx";

/** Nearly all labels: letters and digits are always normalised (ENSIP-15), and the library takes its time. */
const PLAIN_LABEL = /^[a-z0-9]+$/;

/** Whether callers can ask for a name by its text: only if normalising leaves it as it is. */
function isNormalised(name: string): boolean {
  try {
    return labelsOf(name).every(
      (label) => PLAIN_LABEL.test(label) || UNKNOWN_LABEL.test(label) || ens_normalize(label) === label,
    );
  } catch {
    return false;
  }
}

const labelsOf = (name: string): string[] => name.split(".");

const isByNode = (name: string): boolean => name.startsWith("[namehash:");

/** A name as the operations take it: by its text, or where that would be another name's, by its node. */
export function askedAs(name: string): string {
  if (isByNode(name) || isNormalised(name)) return name;
  return `[namehash:${nodeOfName(name).slice(2)}]`;
}

/** Where the explorer shows a name. */
export const nameUrl = (name: string): string => `explore/name/${encodeURIComponent(askedAs(name))}`;

/** Longest name that a list shows whole. */
const MAX_LISTED = 48;

/** A name as a list shows it: hashes and long names are cut in the middle. */
export function listed(name: string): string {
  const short = name.replaceAll(/\[(namehash:)?([0-9a-f]{6})[0-9a-f]{52}([0-9a-f]{6})\]/g, "[$1$2…$3]");
  const points = [...short];
  if (points.length <= MAX_LISTED) return short;
  return `${points.slice(0, MAX_LISTED - 15).join("")}…${points.slice(-14).join("")}`;
}

/** A name, as a link to its page. */
export const NameLink = ({ name, display }: { name: string; display?: string | undefined }) => (
  <a class="name" href={nameUrl(name)}>
    <bdi class="theirs">{visible(listed(display ?? name))}</bdi>
    {!isByNode(name) && !isNormalised(name) && <span class="mark">not normalised</span>}
  </a>
);

/** The layer 2 that has a name; nothing for names of the registry's own chain. */
export const ChainMark = ({ chain }: { chain?: string | undefined }) =>
  chain === undefined ? null : <span class="mark chain">on {chain}</span>;

/** A name that ENSv2 answers for; nothing for others. */
export const ProtocolMark = ({ protocol }: { protocol?: string | undefined }) =>
  protocol === "ensv2" ? <span class="mark">ENSv2</span> : null;

/** Scripts with letters that look Latin, or that are distinguished by name. */
const scripts = [
  "Latin",
  "Cyrillic",
  "Greek",
  "Armenian",
  "Georgian",
  "Hebrew",
  "Arabic",
  "Devanagari",
  "Bengali",
  "Tamil",
  "Thai",
  "Han",
  "Hiragana",
  "Katakana",
  "Hangul",
  "Cherokee",
  "Coptic",
  "Lisu",
  "Ethiopic",
].map((name) => ({ name, letters: new RegExp(`\\p{Script=${name}}`, "u") }));

const scriptsOf = (label: string): string[] =>
  scripts.filter(({ letters }) => letters.test(label)).map(({ name }) => name);

/** What a reader should know of the letters of a name. */
type Letters = { problem: string | null; mixed: string[]; foreign: string[] };

/** Analyses a name as a reader sees it: whether it is normalised, and the scripts of its letters. */
export function inspect(name: string): Letters {
  const labels = isByNode(name) ? [] : labelsOf(name).filter((label) => !UNKNOWN_LABEL.test(label));
  const used = labels.map(scriptsOf);
  return {
    problem: labels.map(problemOf).find((problem) => problem !== null) ?? null,
    mixed: used.find((names) => names.length > 1) ?? [],
    foreign: [...new Set(used.flat())].filter((script) => script !== "Latin"),
  };
}

/** Messages of the library hold marks that turn the direction; the page has its own way to keep texts apart. */
const DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function problemOf(label: string): string | null {
  const [split] = ens_split(label);
  if (split?.error) return split.error.message.replaceAll(DIRECTION, "");
  const normalised = String.fromCodePoint(...(split?.output ?? []));
  return normalised === label ? null : `the normalised form is “${normalised}”`;
}

/** A word of warning about names that may be taken for others; nothing for all others. */
export const NameNotice = ({ name }: { name: string }) => {
  const { problem, mixed, foreign } = inspect(name);
  if (problem === null && foreign.length === 0) return null;
  return (
    <div class={problem !== null || mixed.length > 0 ? "notice warn" : "notice"}>
      <Icon name="warning" />
      <div>
        {problem !== null && (
          <p>
            <strong>This name is not normalised.</strong> Applications do not resolve it.{" "}
            <Text>{problem}</Text>.
          </p>
        )}
        {mixed.length > 0 ? (
          <p>
            <strong>This name mixes scripts:</strong> {mixed.join(", ")}. It may look like another name.
          </p>
        ) : (
          foreign.length > 0 && (
            <p>This name contains {foreign.join(", ")} letters. Names that look alike can be different.</p>
          )
        )}
        <CodePoints name={name} />
      </div>
    </div>
  );
};

const MAX_POINTS = 64;

/** The characters of a name that are not plain letters, each with its code point. */
const CodePoints = ({ name }: { name: string }) => {
  const odd = [...new Set([...name].filter((character) => !/[a-z0-9.-]/.test(character)))];
  return (
    <details>
      <summary>Characters</summary>
      <ul class="points">
        {odd.slice(0, MAX_POINTS).map((character) => (
          <li>
            <Text>{character}</Text> <span class="mono">{codePointOf(character)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
};
