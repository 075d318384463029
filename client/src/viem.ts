import type { Client } from "viem";
import type { NamedexConfig } from "./connect.ts";
import { createNamedex, type Namedex } from "./createNamedex.ts";

/**
 * Gives a viem client the field `namedex`.
 *
 * @example
 * const client = createPublicClient({ chain: mainnet, transport: http() }).extend(namedexActions({ url }));
 * const alice = await client.namedex.getWhoisByName({ name: "alice.eth" });
 */
export function namedexActions(config: NamedexConfig): (client: Client) => { namedex: Namedex } {
  const namedex = createNamedex(config);
  return () => ({ namedex });
}
