// Part of the patch predictedRows.

/** Rows of one statement. PostgreSQL takes 65,535 parameters, and a key has up to five columns. */
export const ROWS_OF_STATEMENT = 2_000;

/** Asks for what some conditions find, by statements of a bounded number of them. */
export async function inParts<Condition, Row>(
  conditions: readonly Condition[],
  ask: (some: Condition[]) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let i = 0; i < conditions.length; i += ROWS_OF_STATEMENT) {
    found.push(...(await ask(conditions.slice(i, i + ROWS_OF_STATEMENT))));
  }
  return found;
}

/** Predicted calls that can be encoded. What a stranger wrote into a log may be no argument of the function. */
export const encodable = <Predicted extends { request: unknown }>(
  predicted: readonly Predicted[],
  encode: (request: Predicted["request"]) => unknown,
): Predicted[] =>
  predicted.filter(({ request }) => {
    try {
      encode(request);
      return true;
    } catch {
      return false;
    }
  });
