import {
  type AnswerOf,
  type CallOptions,
  connectForJson,
  type Given,
  type NamedexConfig,
  type Operation,
  type ParametersOf,
} from "./connect.ts";
import * as generated from "./openapi/sdk.gen.ts";
import { read } from "./read.ts";

export type { CallOptions, NamedexConfig } from "./connect.ts";

type Generated = typeof generated;

const byName: Readonly<Record<OperationName, Operation>> = { ...generated };

/** Name of an operation: its `operationId` in camel case. */
export type OperationName = keyof Generated;

/** The answer of an operation. */
export type Answer<Name extends OperationName> = AnswerOf<Generated[Name]>;

/** The parameters of an operation. */
export type OperationParameters<Name extends OperationName> = ParametersOf<Generated[Name]>;

type CallOf<Asked extends Operation> = (...given: Given<Asked>) => Promise<AnswerOf<Asked>>;

/** Every operation of the API, as a function. */
export type Operations = { readonly [Name in OperationName]: CallOf<Generated[Name]> };

/** Calls an operation by its name; the answer is the plain JSON. */
export type AskJson = (name: OperationName, parameters?: unknown, options?: CallOptions) => Promise<unknown>;

/** The operations of one server. They do not need `this`. */
export function createOperations(config: NamedexConfig): { operations: Operations; askJson: AskJson } {
  const ask = connectForJson(config);
  const askJson: AskJson = (name, parameters, options) => ask(byName[name], parameters, options);
  const calls = Object.keys(byName).map((name) => [
    name,
    async (...[parameters, options]: Given<Operation>) =>
      read(await askJson(name as OperationName, parameters, options)),
  ]);
  return { operations: Object.fromEntries(calls) as Operations, askJson };
}
