import { parseArgs } from "node:util";

/** An option of a benchmark. `value` says what follows it; an option without is a switch. */
type Option = { value?: "N" | "DIR" | "FILE" | "TEXT"; meaning: string };

type ValueOf<One extends Option> = One extends { value: "N" }
  ? number
  : One extends { value: string }
    ? string
    : boolean;

/** What each benchmark takes besides options of its own. */
export const reportOptions = {
  json: { value: "FILE", meaning: "writes the rows" },
  docs: { value: "FILE", meaning: "writes the table into a page" },
} as const satisfies Record<string, Option>;

/** Reads what follows `npm run bench:…`. `--help`, and whatever it cannot read, ends the process with a list of the options. */
export function readOptions<const Options extends Record<string, Option>>(
  command: string,
  options: Options,
): { [Name in keyof Options]?: ValueOf<Options[Name]> } {
  const usage = usageOf(command, options);
  const types = Object.entries(options).map(
    ([name, { value }]) => [name, { type: value === undefined ? "boolean" : "string" }] as const,
  );
  try {
    const { values } = parseArgs({
      options: { ...Object.fromEntries(types), help: { type: "boolean" } },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const read = Object.entries(values).map(([name, word]) => [name, readValue(name, { word, options })]);
    return Object.fromEntries(read);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

/** What `--only` chooses: what has one of its texts, with `|` between, in its name. */
export const isAsked = (only: string, { name }: { name: string }): boolean =>
  only.split("|").some((text) => name.includes(text));

function readValue(name: string, { word, options }: { word: unknown; options: Record<string, Option> }) {
  if (options[name]?.value !== "N") return word;
  const number = Number(word);
  if (word !== "" && number >= 0 && Number.isFinite(number)) return number;
  throw new Error(`--${name} is "${word}": expected a number`);
}

function usageOf(command: string, options: Record<string, Option>): string {
  const lines = Object.entries(options).map(
    ([name, { value = "", meaning }]) => [`--${name} ${value}`.trimEnd(), meaning] as const,
  );
  const width = Math.max(...lines.map(([option]) => option.length));
  return [
    `${command} -- [options]`,
    ...lines.map(([option, meaning]) => `  ${option.padEnd(width)}  ${meaning}`),
  ].join("\n");
}
