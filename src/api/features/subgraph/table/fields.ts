import type { Derived, Relation, Scalar, ScalarField } from "./entity.ts";

/* The fields of the table of types, with their types as GraphQL writes them: `BigInt!` is never null. */

/** A value of the row. */
export const scalar = (
  type: Scalar | `${Scalar}!`,
  source: string,
  value: ScalarField["value"],
  more: Partial<ScalarField> = {},
): ScalarField => ({
  kind: "scalar",
  type: type.replace("!", "") as Scalar,
  isRequired: type.endsWith("!"),
  source,
  value,
  ...more,
});

/** The entity whose id a row has. Where its key is not the id alone, `more` has the `key`. */
export const relation = (
  type: string,
  source: string,
  id: Relation["id"],
  more: Partial<Relation> = {},
): Relation => ({
  kind: "relation",
  type: type.replace("!", ""),
  isRequired: type.endsWith("!"),
  source,
  key: (row, env) => [id(row, env)],
  id,
  ...more,
});

/** The entities whose relation `via` names this one: `[Domain!]!`; or the only one: `Registration`. */
export const derived = (type: string, via: string, source: string): Derived => ({
  kind: "derived",
  type: type.replace(/\W/g, ""),
  via,
  isList: type.startsWith("["),
  isRequired: type.endsWith("]!"),
  source,
});
