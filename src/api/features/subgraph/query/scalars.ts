import type { ScalarField } from "../table/entity.ts";

/**
 * A value as it is answered: BigInt as text, bytes in lower case. Int as a number of any size: fuses are numbers of 32 bits,
 * which GraphQL's own Int does not hold.
 */
export function written({ type, isList }: ScalarField, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (isList) return (value as unknown[]).map((one) => writtenOne(type, one));
  return writtenOne(type, value);
}

function writtenOne(type: ScalarField["type"], value: unknown): unknown {
  if (type === "BigInt") return String(value);
  if (type === "Int") return Number(value);
  return type === "Bytes" ? String(value).toLowerCase() : value;
}
