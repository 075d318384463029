import { changeEndpoints } from "../../src/api/features/feed/operations.ts";
import { operations as coreOperations } from "../../src/api/names/endpoints/index.ts";
import type { Endpoint } from "../../src/api/server/http/endpoint.ts";

/** The operations that need no setting: those of the core, and of the feed. */
export const operations: readonly Endpoint[] = [...coreOperations, ...changeEndpoints];
