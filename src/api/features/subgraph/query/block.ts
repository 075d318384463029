import { QueryError } from "../queryError.ts";
import { isObject, readValue, type Value } from "./values.ts";

/** The block at which a query is to be answered; null for the newest. */
export type BlockArgument =
  | { by: "number" | "number_gte"; number: number }
  | { by: "hash"; hash: string }
  | null;

/** @throws QueryError */
export function readBlock(value: Value | undefined): BlockArgument {
  if (value === undefined || value === null) return null;
  if (!isObject(value))
    throw new QueryError("Invalid value provided for argument `block`: it must be an object");
  const given = Object.entries(value).filter(([, one]) => one !== null);
  if (given.length === 0) return null;
  const [[name, one] = ["", null], ...more] = given;
  if (more.length > 0 || !["number", "number_gte", "hash"].includes(name))
    throw new QueryError(
      "Invalid value provided for argument `block`: give `number`, `hash` or `number_gte`",
    );
  if (name === "hash") return { by: "hash", hash: String(readValue("Bytes", one)) };
  const number = Number(readValue("Int", one));
  if (!Number.isSafeInteger(number) || number < 0)
    throw new QueryError(`Invalid value provided for argument \`block\`: ${JSON.stringify(one)}`);
  return { by: name as "number" | "number_gte", number };
}
