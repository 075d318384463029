import type { Ctx } from "../../server/http/context.ts";

/** What is read of ENSv2's tables, or what stands for it where ENSv2 is not indexed: nothing is read there. */
export const ofEnsv2 = async <Found>(
  { contracts }: Pick<Ctx, "contracts">,
  none: Found,
  read: () => Promise<Found>,
): Promise<Found> => (contracts.ensv2 === undefined ? none : read());
