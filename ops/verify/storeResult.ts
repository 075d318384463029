import type { Settings } from "../../settings/settings.ts";
import { openStore } from "../../src/api/server/serviceDb/store.ts";
import { noteVerification } from "../../src/api/server/serviceDb/verifications.ts";
import type { VerifyOptions } from "./options.ts";
import { type Result, valuesOf } from "./result.ts";

/**
 * Only a comparison of random samples of the newest block of the registry's chain says something about the index as a
 * whole.
 */
export const isAboutIndex = ({ names, at, chainId }: VerifyOptions): boolean =>
  names.length === 0 && at === null && chainId === null;

/** Stores the result for `/indexing-status` and the metrics. */
export async function storeResult(
  { serviceDatabaseUrls: databaseUrl, serviceSchema, schema }: Settings,
  result: Result,
): Promise<void> {
  const store = openStore({ databaseUrl, schema: serviceSchema });
  const { block, samples, differenceCount } = result;
  try {
    await noteVerification(store, schema, {
      blockNumber: block.number,
      samples,
      values: valuesOf(result),
      differences: differenceCount,
    });
  } finally {
    await store.close();
  }
}
