import { domain, label } from "ponder:schema";
import { namehash } from "viem";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startSharing } from "../../src/api/names/labels/shareLabels.ts";
import { labelRowsIn } from "../../src/api/server/serviceDb/provenLabels.ts";
import { sharedLabelsIn } from "../../src/api/server/serviceDb/sharedLabels.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { labelhash, unknownLabel } from "../../src/ens/name.ts";
import { account, CHAIN_ID, LAYER2_CHAIN_ID, registeredRow } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

let tables: Tables;
let store: Store;

const hidden = (text: string, chainId: number) => ({
  ...registeredRow(`${text}.eth`, account(1), 2_000_000_000n, { chainId }),
  node: namehash(`${text}.eth`),
  labelhash: labelhash(text),
  label: unknownLabel(labelhash(text)),
  fullName: `${unknownLabel(labelhash(text))}.eth`,
  isLabelKnown: false,
  isNameKnown: false,
});
/** More names than one page has, which no chain knows. */
const secrets = Array.from({ length: 1_200 }, (_, i) => `secret${i}`);
/** The chain that has only the hash, and the chain whose logs have the text. */
const known = [
  { text: "vitalik", at: CHAIN_ID, from: LAYER2_CHAIN_ID },
  { text: "nick", at: LAYER2_CHAIN_ID, from: CHAIN_ID },
  { text: "elsewhere", at: CHAIN_ID, from: 999 },
];

beforeAll(async () => {
  tables = await createTables();
  store = openStore({ databaseUrl: tables.databaseUrl, schema: "namedex_service" });
  await tables.writer
    .insert(domain)
    .values([
      ...secrets.map((text) => hidden(text, CHAIN_ID)),
      ...known.map(({ text, at }) => hidden(text, at)),
    ]);
  await tables.writer.insert(label).values([
    ...known.flatMap(({ text, at, from }) => [
      { chainId: at, labelhash: labelhash(text), label: null },
      { chainId: from, labelhash: labelhash(text), label: text, source: "event" },
    ]),
    { chainId: LAYER2_CHAIN_ID, labelhash: labelhash("unused"), label: "unused", source: "event" },
  ]);
});
afterAll(async () => {
  await store?.close();
  await tables?.drop();
});

test("labels that one chain spells out are given to the index's chains that have only their hash", async () => {
  const state = { mayShare: false, turns: 0 };
  const warnings: string[] = [];
  const sharing = startSharing({
    shared: sharedLabelsIn(store, { schema: "public", chainIds: [CHAIN_ID, LAYER2_CHAIN_ID] }),
    mayShare: async () => {
      state.turns++;
      return state.mayShare;
    },
    alone: (stopped, work) => work(stopped),
    warn: (line) => void warnings.push(line),
    times: { round: 5, page: 1 },
  });
  await vi.waitFor(() => expect(state.turns).toBeGreaterThan(2));
  expect(await labelRowsIn(store).readAfter(0)).toEqual([]);
  state.mayShare = true;
  await vi.waitFor(async () => expect(await labelRowsIn(store).readAfter(0)).toHaveLength(2), 20_000);
  await sharing.stop();
  const rows = await labelRowsIn(store).readAfter(0);
  expect(new Map(rows.map(({ labelhash, label, source }) => [labelhash, `${label} ${source}`]))).toEqual(
    new Map(["vitalik", "nick"].map((text) => [labelhash(text), `${text} event`])),
  );
  expect(warnings).toEqual([]);
});
