import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/projectFiles.ts";

/** Lines of all commands on a page, without their comments. */
export function commandsOf(page: string): string[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
    block
      .split("\n")
      .map((line) => line.replace(/\s+#.*$/, "").trim())
      .filter(Boolean),
  );
}

/**
 * Returns the only command on the page with these words, with the page's placeholders replaced. So
 * a test runs what the page says, and fails if the page says something else.
 */
export function createPage(page: string, examples: Readonly<Record<string, string>>) {
  const commands = [...new Set(commandsOf(page))];
  return (words: string): string => {
    const found = commands.filter((command) => command.includes(words));
    const [command] = found;
    if (command === undefined || found.length > 1) {
      throw new Error(`${page} has ${found.length} commands with "${words}": ${found.join(" | ")}`);
    }
    return Object.entries(examples).reduce((text, [from, to]) => text.replaceAll(from, to), command);
  };
}
