import { getAddress, keccak256, namehash, stringToBytes } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MAX_RESYNCED } from "../../src/api/features/feed/resync.ts";
import { openApi, type TestApi } from "../query/api.ts";
import { account, transaction } from "../query/rows.ts";
import { createTables } from "../query/tables.ts";
import type { Chain } from "./engine.ts";
import { readJudged } from "./follower.ts";
import { openPlay, type Play } from "./histories.ts";
import { domainWrite } from "./writes.ts";

const NOW = 1_800_000_000;

let play: Play & { close: () => Promise<void> };
let api: TestApi;
let main: Chain;

type Body = {
  changes: {
    type: string;
    position: string;
    subject?: string;
    domain?: string;
    new_value?: object;
    state: string;
    chain: string;
  }[];
  next_position: string;
  oldest_position: string;
  newest_position: string;
  has_more: boolean;
  is_resync: boolean;
  blocks: { chain: string; block_number: number }[];
};

beforeAll(async () => {
  play = await openPlay();
  [main] = play.engine.chains as [Chain];
  api = openApi(play.tables, NOW);
  for (const name of ["alice.eth", "pay.alice.eth", "bob.eth"]) {
    play.engine.mine(main, {
      seconds: 12,
      writes: [domainWrite(main, name, { resolver: account(0xe5), effective_owner_address: account(1) })],
    });
    await play.engine.index(main);
    await play.look();
  }
});
afterAll(() => play.close());

const get = async (query: string): Promise<Body> => (await api.get(`/changes?${query}`)).body as Body;

test("pages join without gap or overlap, whatever their length", async () => {
  const whole = await get("limit=1000");
  expect(whole.has_more).toBe(false);
  expect(whole.next_position).toBe(whole.newest_position);
  for (const limit of [1, 2, 5]) {
    const found: string[] = [];
    for (let after = "oldest", more = true; more; ) {
      const page = await get(`limit=${limit}&after=${after}`);
      expect(page.changes.length).toBeLessThanOrEqual(limit);
      found.push(...page.changes.map(({ position }) => position));
      [after, more] = [page.next_position, page.has_more];
    }
    expect(found).toEqual(whole.changes.map(({ position }) => position));
  }
});

test.each([
  ["name=alice.eth", ["alice.eth"]],
  [`namehash=${namehash("bob.eth")}`, ["bob.eth"]],
  ["subtree=alice.eth", ["alice.eth", "pay.alice.eth"]],
  [`address=${account(1)}`, ["alice.eth", "bob.eth", "pay.alice.eth"]],
  [`resolver=${account(0xe5)}`, ["alice.eth", "bob.eth", "pay.alice.eth"]],
  ["type=resolver.changed&subtree=alice.eth", ["alice.eth", "pay.alice.eth"]],
  ["chain=devnet&name=bob.eth", ["bob.eth"]],
  ["chain=devnet2", []],
  ["name=missing.eth", []],
])("%s", async (query, names) => {
  const { changes, next_position, newest_position } = await get(`limit=1000&${query}`);
  const found = new Set(changes.flatMap(({ domain }) => domain ?? []));
  expect([...found].sort()).toEqual(names);
  expect(next_position, "one can go on also from where nothing was found").toBe(newest_position);
});

test("each change names the subject whose value a follower stores", async () => {
  const { changes } = await get("name=alice.eth&type=name.transferred");
  expect(changes[0]).toMatchObject({
    type: "name.transferred",
    domain: "alice.eth",
    chain: "devnet",
    namehash: namehash("alice.eth"),
    subject: `owner:31337:${namehash("alice.eth")}`,
    state: "new",
    old_value: null,
    new_value: { owner_address: account(1) },
  });
  expect(changes.at(-1)?.type).toBe("block.ended");
});

test.each([
  ["after=x", 400, "INVALID_PARAMETER"],
  ["after=aaaaaaaaaaaa-5", 410, "POSITION_GONE"],
  ["limit=0", 400, "INVALID_PARAMETER"],
  ["limit=1001", 400, "INVALID_PARAMETER"],
  ["type=name.lost", 400, "INVALID_PARAMETER"],
  ["name=a..b", 400, "INVALID_NAME"],
  [`name=alice.eth&namehash=${namehash("alice.eth")}`, 400, "INVALID_PARAMETER"],
  ["chain=atlantis", 400, "INVALID_PARAMETER"],
  ["resync=true&subtree=alice.eth", 400, "INVALID_PARAMETER"],
  ["resync=true&name=alice.eth&after=x", 400, "INVALID_PARAMETER"],
])("%s is refused", async (query, status, code) => {
  const reply = await api.get(`/changes?${query}`);
  expect(reply).toMatchObject({ status, body: { error: { code } } });
  if (status !== 410) return;
  const { oldest_position, newest_position } = await get("after=newest");
  for (const position of [oldest_position, newest_position]) {
    expect(JSON.stringify(reply.body)).toContain(position);
  }
});

const GONE = "after=aaaaaaaaaaaa-5";

/**
 * Everything a follower can hold about a node, as subjects with values: first as the tables store
 * it, then as answers write it.
 */
async function judgedOf(name: string): Promise<[string, string][]> {
  const all = [...(await readJudged(play.tables.pool))];
  return all
    .filter(([subject]) => subject.split(":").includes(namehash(name)))
    .map(([subject, value]): [string, string] => [
      subject,
      value.replaceAll(/(?<=")0x[0-9a-f]{40}(?=")/g, (address) => getAddress(address)),
    ])
    .sort();
}

const heldIn = ({ changes }: Body): [string, string][] =>
  changes
    .filter(({ subject }) => subject !== undefined)
    .map(({ subject = "", new_value = {} }): [string, string] => [
      subject,
      JSON.stringify(Object.entries(new_value).sort(([a], [b]) => (a < b ? -1 : 1))),
    ])
    .sort();

test("a reader of one name whose position is gone gets all values of the name and continues from there", async () => {
  const resolver = account(0xe5);
  await play.block(main, [
    {
      table: "text_records",
      key: {
        chain_id: main.chainId,
        resolver,
        node: namehash("alice.eth"),
        version: 0,
        key_hash: keccak256(stringToBytes("url")),
      },
      patch: {
        key: "url",
        value: "https://alice.example",
        is_value_known: true,
        is_read: false,
        log_index: 1,
        block_number: 9,
        transaction_hash: transaction(9),
        sets_in_transaction: 1,
      },
    },
  ]);
  const page = await get(`${GONE}&resync=true&name=alice.eth`);
  expect(page.is_resync).toBe(true);
  expect([page.changes[0]?.type, page.changes.at(-1)?.type]).toEqual(["feed.resync", "block.ended"]);
  expect(heldIn(page)).toEqual(await judgedOf("alice.eth"));
  expect(page.changes.map(({ type }) => type)).toContain("record.text.changed");
  for (const { state, position } of page.changes)
    expect([state, position]).toEqual(["now", page.newest_position]);
  expect([page.next_position, page.has_more]).toEqual([page.newest_position, false]);
  const text = await get(`${GONE}&resync=true&namehash=${namehash("alice.eth")}&type=record.text.changed`);
  expect(text.changes.slice(1, -1).map(({ new_value }) => new_value)).toEqual([
    { value: "https://alice.example", is_value_known: true },
  ]);
  await play.block(main, [domainWrite(main, "alice.eth", { resolver: account(0xe6) })]);
  const next = await get(`after=${page.next_position}&resync=true&name=alice.eth`);
  expect(next.is_resync).toBe(false);
  expect(next.changes.map(({ type }) => type)).toEqual(["resolver.changed", "block.ended"]);
  expect(heldIn(await get(`${GONE}&resync=true&name=missing.eth`))).toEqual([]);
});

test("a name with more values than fit in one answer is not resynced", async () => {
  await play.tables.pool.query(
    `insert into text_records (chain_id, resolver, node, version, key_hash, key, value, is_value_known, is_read,
       block_number, log_index, transaction_hash, sets_in_transaction)
     select $1, $2, $3, 0, '0x' || lpad(to_hex(i), 64, '0'), i::text, 'x', true, false, 1, 1, $4, 1 from generate_series(0, $5) i`,
    [main.chainId, account(0xe5), namehash("bob.eth"), transaction(1), MAX_RESYNCED],
  );
  const reply = await api.get(`/changes?${GONE}&resync=true&name=bob.eth`);
  expect(reply).toMatchObject({ status: 410, body: { error: { code: "POSITION_GONE" } } });
});

test("before the feed exists, the answer says when to ask again", async () => {
  const tables = await createTables();
  const reply = await openApi(tables, NOW).get("/changes");
  expect(reply).toMatchObject({ status: 503, body: { error: { code: "INDEX_NOT_READY" } } });
  await tables.drop();
});

test("values have the form used in other answers: checksummed addresses, fuses as a number", async () => {
  const mixed = "0xabcdefabcdefabcdefabcdefabcdefabcdefabcd";
  play.engine.mine(main, {
    seconds: 12,
    writes: [
      domainWrite(main, "form.eth", {
        effective_owner_address: mixed,
        wrapper_owner: mixed,
        wrapper_fuses: 65_536,
        wrapper_expiry_timestamp: "1893456000",
      }),
    ],
  });
  await play.engine.index(main);
  await play.look();
  const { changes } = await get("name=form.eth&after=oldest");
  const newValueOf = (type: string) => changes.find((change) => change.type === type)?.new_value;
  expect(newValueOf("name.transferred")).toMatchObject({
    owner_address: getAddress(mixed),
    wrapper_owner: getAddress(mixed),
  });
  expect(newValueOf("wrapper.changed")).toEqual({ fuses: 65_536, wrapper_expiry_timestamp: "1893456000" });
});
