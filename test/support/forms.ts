import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/** Forms of a test besides that of `npm test`, which has neither. */
export type Form = "slow" | "long";

const tests = join(import.meta.dirname, "..");

/** `// Also runs as: slow, long`, as the first line of a file. */
const MARK = /^\/\/ Also runs as: ([\w, ]+)\n/;

const marked = readdirSync(tests, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => {
    const [, forms = ""] = MARK.exec(readFileSync(join(tests, file), "utf8")) ?? [];
    return { file: `test/${file.split(sep).join("/")}`, forms: forms.split(", ") };
  });

/** Files of other forms that run in this one, too, with its sizes (size.ts). */
export const alsoIn = (form: Form): string[] =>
  marked.filter(({ forms }) => forms.includes(form)).map(({ file }) => file);
