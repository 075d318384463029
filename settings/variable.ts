import type { z } from "zod";

/**
 * One environment variable. It is checked by this, error messages quote this, and docs/settings.md and .env.example
 * are written from this.
 */
export type Variable<Value = unknown> = {
  /** Reads the text. Undefined means that the variable is not set. */
  shape: z.ZodType<Value>;
  /** What an error message says is expected: "a port from 1 to 65535". */
  expected: string;
  /** A value to paste. */
  example: string;
  /** What it does, in Markdown. Its first sentence also appears in .env.example. */
  meaning: string;
  /** What holds if it is not set, in Markdown. */
  unset: string;
  /** No message shows the value of a secret. */
  isSecret: boolean;
};

export type Variables = Record<string, Variable>;

/** What the variables of a declaration hold once they are read. */
export type ValuesOf<Declared extends Variables> = {
  [Name in keyof Declared]: Declared[Name] extends Variable<infer Value> ? Value : never;
};

/** A kind of value, which several variables may share: how to read it, and the words for it. */
export type Kind<Value> = { shape: z.ZodType<Value>; expected: string };

type Explanation = { meaning: string; example: string; isSecret?: boolean };

/** A variable that must be set. */
export const required = <Value>(kind: Kind<Value>, explanation: Explanation): Variable<Value> => ({
  isSecret: false,
  ...kind,
  ...explanation,
  unset: "required",
});

/** A variable that may be left out. `unset` says what holds then. */
export const optional = <Value>(
  kind: Kind<Value>,
  explanation: Explanation & { unset?: string },
): Variable<Value | undefined> => ({
  isSecret: false,
  unset: "none",
  ...kind,
  ...explanation,
  shape: kind.shape.optional(),
});

/**
 * A variable with a default.
 *
 * @example
 * PORT: withDefault(42_069, port, { meaning: "Port of the API." }),
 */
export const withDefault = <Value>(
  value: Value,
  kind: Kind<Value>,
  explanation: Omit<Explanation, "example"> & { example?: string },
): Variable<Value> => ({
  isSecret: false,
  example: String(value),
  ...kind,
  ...explanation,
  shape: kind.shape.optional().transform((given) => given ?? value),
  unset: `\`${value}\``,
});
