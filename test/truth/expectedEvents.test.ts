import { expect, test, vi } from "vitest";
import { type Entry, familyOf } from "../../src/indexing/write/families.ts";
import { knownEvents } from "./expectedEvents.ts";

/**
 * Entries judged by test/chain/layer2.test.ts, layer2-logs.slow.test.ts, dnsTokens.test.ts and, for the last three,
 * oldContracts.slow.test.ts and shortNameClaims.slow.test.ts.
 */
const judgedElsewhere: Entry[] = [
  ...(["BasenamesRegistrar", "BasenamesController", "LineanamesController", "AddedController"] as const),
  ...(["WrapperController", "DnsToken", "FoundResolver", "BasenamesReverseRegistrar"] as const),
  ...(["DnsRegistrar", "SubdomainRegistrar", "ShortNameClaims"] as const),
];

test("the truth has the expected row of each event", async () => {
  vi.stubEnv("ENS_NETWORK", "mainnet");
  vi.stubEnv("RPC_URL_1", "https://rpc.example.org");
  vi.stubEnv("DATABASE_URL", "postgresql://namedex:secret@localhost:5432/namedex");
  const { contracts } = (await import("../../ponder.config.ts")).default;
  const entries = Object.entries(contracts) as [Entry, { abi: readonly { type: string; name?: string }[] }][];
  // test/chain/ensv2Judge.ts has the expected rows of ENSv2.
  const judged = entries.filter(([entry]) => !judgedElsewhere.includes(entry) && !entry.startsWith("Ensv2"));
  const unknown = judged.flatMap(([entry, { abi }]) => {
    const known = (knownEvents[familyOf(entry)] ?? "").split(/\s+/);
    const events = abi.filter(({ type }) => type === "event").map(({ name = "" }) => name);
    return events.filter((event) => !known.includes(event)).map((event) => `${familyOf(entry)} ${event}`);
  });
  const what =
    "test/truth/expectedEvents.ts does not say what the rows of these events have to be: add them to it";
  expect([...new Set(unknown)], what).toEqual([]);
});
