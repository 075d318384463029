import { type ParseArgsConfig, parseArgs } from "node:util";

/** The program cannot do what the operator asked for. The message says why and what to do. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
}

/** One command of a program. */
export type Command<Context, Options> = {
  /** What follows the command's name, each one required. */
  words: readonly string[];
  options: readonly (keyof Options)[];
  /** Runs before any database query. @throws CommandError if the options do not fit together */
  check?: (options: Options) => void;
  /** Gives the text to print. */
  run: (context: Context, words: string[], options: Options) => Promise<string>;
};

/** What an operator's program can do. */
export type Program<Context, Options> = {
  /** How an operator runs it, for example `npm run keys`. */
  name: string;
  usage: string;
  options: ParseArgsConfig["options"];
  commands: Readonly<Record<string, Command<Context, Options>>>;
};

/** True if the operator asks what the program can do. */
export const asksForHelp = (line: readonly string[]): boolean =>
  line.length === 0 || line.includes("--help") || line[0] === "help";

/**
 * Reads a command line and gives the command, ready to run.
 *
 * @throws CommandError if the program has no such command, or the command takes other words or options
 * @example await readCommand(["grant", "3", "500"], keysProgram)(keys)
 */
export function readCommand<Context, Options extends object>(
  line: string[],
  program: Program<Context, Options>,
): (context: Context) => Promise<string> {
  const { name: run, usage, commands } = program;
  const { positionals, values } = parse(line, program);
  const options = values as Options;
  const [name = "", ...words] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new CommandError(`Unknown command "${name}".\n\n${usage}`);
  if (words.length !== command.words.length) {
    const wanted = command.words.map((word) => ` <${word}>`).join("");
    throw new CommandError(`Usage: ${run} -- ${name}${wanted}`);
  }
  const foreign = Object.keys(values).find((one) => !command.options.includes(one as keyof Options));
  if (foreign !== undefined)
    throw new CommandError(`Option --${foreign} does not apply to "${name}".\n\n${usage}`);
  command.check?.(options);
  return (context) => command.run(context, words, options);
}

function parse<Context, Options>(line: string[], { options, usage }: Program<Context, Options>) {
  try {
    return parseArgs({ args: line, allowPositionals: true, options });
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`);
  }
}

/** Reads a number that an operator wrote. @throws CommandError */
export function readNumber(what: string, word: string, { min, max }: { min: number; max: number }): number {
  const number = Number(word);
  if (/^\d+$/.test(word) && number >= min && number <= max) return number;
  throw new CommandError(`${what} is "${word}": expected a whole number from ${min} to ${max}.`);
}
