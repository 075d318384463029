/**
 * An answer without the blocks that it is of (`as_of`), which the frame adds and which differ from block to block. For tests that
 * compare whole answers; test/chain/journal.test.ts has those of the blocks.
 */
export function withoutAsOf<Body>(answer: Body): Body {
  if (typeof answer !== "object" || answer === null || !("as_of" in answer)) return answer;
  const { as_of: _, ...rest } = answer;
  return rest as Body;
}
