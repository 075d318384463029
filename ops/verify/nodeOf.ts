import type { Hex } from "viem";
import { parseName } from "../../src/api/names/schemas/input.ts";
import { CommandError } from "../commandLine/command.ts";

/** @throws CommandError for a text that is no name */
export function nodeOf(name: string): Hex {
  try {
    return parseName(name).node;
  } catch (error) {
    throw new CommandError(`--name ${JSON.stringify(name.slice(0, 100))}: ${(error as Error).message}`);
  }
}
