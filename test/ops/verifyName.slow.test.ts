import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { verification } from "../../src/api/names/schemas/answers.ts";
import { changeRows, dead, plantsInDomains, prepareDemo } from "./runVerify.ts";

/*
 * The results for a caller who has a name compared, on the demo. Live answers come from a node
 * that can be made to fail.
 */

const demo = prepareDemo({ env: (LIVE_RPC_URL) => ({ LIVE_RPC_URL }) });

type Verification = z.infer<typeof verification>;

async function verify(name: string): Promise<Verification> {
  const { status, body } = await demo.stack.api(`/domain/${encodeURIComponent(name)}/verify`);
  expect([name, status, (body as { error?: unknown }).error]).toEqual([name, 200, undefined]);
  const { as_of: _, ...answer } = body as Record<string, unknown>;
  return verification.parse(answer);
}

const differencesOf = ({ fields }: Verification) =>
  fields.filter(({ status }) => status === "different").map(({ table, column }) => `${table}.${column}`);

test("no field of any name in the demo differs, nor of a name missing from the index", async () => {
  const rows = await demo.stack.sql<{ name: string }>(
    "select '[namehash:' || substr(node, 3) || ']' as name from domains where is_name_known and full_name <> '' order by full_name limit 150",
  );
  expect(rows.length).toBeGreaterThan(20);
  const compared = new Set<string>();
  for (const name of [...rows.map((row) => row.name), "unregistered.eth"]) {
    const answer = await verify(name);
    expect([name, differencesOf(answer)]).toEqual([name, []]);
    expect([name, answer.status, answer.compared > 3]).toEqual([name, "equal", true]);
    for (const { table, column, status } of answer.fields)
      if (status === "equal") compared.add(`${table}.${column}`);
  }
  expect([...compared].sort()).toEqual([...new Set(plants.map(([, column]) => column))].sort());
});

test("the answer is for the tables' block", async () => {
  const [block, answer] = [await demo.local.chain.client.getBlock(), await verify("alice.eth")];
  expect(answer).toMatchObject({
    block_number: Number(block.number),
    block_hash: block.hash,
    block_timestamp: Number(block.timestamp),
  });
  const asked = demo.proxy.recorded.filter(({ method }) => method === "eth_call").map((one) => one.block);
  expect(new Set(asked)).toEqual(new Set([`0x${block.number.toString(16)}`]));
});

const refusal = async (name = "alice.eth") => {
  const { status, body } = await demo.stack.api<{ error: { code: string; message: string } }>(
    `/domain/${name}/verify`,
  );
  expect([status, body.error?.code]).toEqual([502, "LIVE_RESOLUTION_FAILED"]);
  return body.error.message;
};

describe("a node", () => {
  test.each([
    "missing trie node 5ae1 (path ) <nil>",
    "historical state 0xab is not available",
    "state already discarded/pruned",
  ])("without the state of the block is reported: %s", async (message) => {
    demo.proxy.fault = ({ method }) =>
      method === "eth_call" ? { error: { code: -32_000, message } } : undefined;
    expect(await refusal()).toBe(
      "The chain could not be asked: the node does not have the state of the block.",
    );
  });

  test("without the block, or with another one, is reported", async () => {
    demo.proxy.fault = ({ method }) => (method === "eth_getBlockByNumber" ? { result: null } : undefined);
    expect(await refusal()).toContain("does not have block");
    let blocks = 0;
    const other = { hash: `0x${"ab".repeat(32)}`, timestamp: "0x1" };
    demo.proxy.fault = ({ method }) =>
      method === "eth_getBlockByNumber" && ++blocks % 2 === 0 ? { result: other } : undefined;
    expect(await refusal()).toContain("being reorganised");
  });

  test("that hangs does not delay the answer beyond its limit", async () => {
    demo.proxy.fault = ({ method }) => (method === "eth_call" ? { hang: true } : undefined);
    expect(await refusal()).toMatch(/in time/);
  });
});

const atResolver = (table: string, what: string, condition: string) =>
  `update ${table} r set ${what} from domains d where d.full_name = 'alice.eth' and r.chain_id = d.chain_id
     and r.resolver = d.resolver and r.node = d.node and (${condition})`;

/** Each plants a difference: the name, the column to be found, and how. The last one hides what came before. */
const plants: (readonly [name: string, column: string, sql: string])[] = [
  ["alice.eth", "text_records.value", atResolver("text_records", "value = 'changed'", "r.value is not null")],
  [
    "alice.eth",
    "address_records.address",
    atResolver("address_records", `address = '${dead}'`, "coin_type = 60"),
  ],
  ["alice.eth", "resolver_nodes.contenthash", atResolver("resolver_nodes", "contenthash = '0x1234'", "true")],
  ["alice.eth", "resolver_nodes.name", atResolver("resolver_nodes", "name = 'other.eth'", "true")],
  ["alice.eth", "resolver_nodes.version", atResolver("resolver_nodes", "version = version + 1", "true")],
  ...plantsInDomains.map(([name, column, sql]) => [name, `domains.${column}`, sql] as const),
];

/** Once the rows are wrong they stay so, so these tests come last. */
describe("a planted difference", () => {
  test.each(plants)("of %s, %s, is found and counted", async (name, column, sql) => {
    expect((await changeRows(demo.stack, `${sql} returning 1`)).length).toBeGreaterThan(0);
    const answer = await verify(name);
    expect(answer.status).toBe("different");
    expect(differencesOf(answer)).toContain(column);
    expect(answer.differences).toBe(differencesOf(answer).length);
    const metrics = await (await fetch(`${demo.stack.metricsUrl}/index-metrics`)).text();
    expect(metrics).toMatch(/^namedex_compared_values_total\{outcome="different"\} [1-9]/m);
    expect(demo.stack.log()).toContain("the index and the contracts differ");
  });

  test("is reported with the calls that show it", async () => {
    const { fields } = await verify("moved.eth");
    const field = fields.find(({ column }) => column === "registry_owner");
    const [call] = field?.calls ?? [];
    const { data } = await demo.local.chain.client.call({
      to: call?.to as `0x${string}`,
      data: call?.data as `0x${string}`,
    });
    expect(data?.slice(-40)).toBe(field?.chain?.slice(2));
    expect(field?.index).toBe(dead);
  });

  test("is not looked for in more than 100 texts", async () => {
    await changeRows(
      demo.stack,
      `insert into text_records (chain_id, resolver, node, version, key_hash, key, is_value_known, block_number, log_index,
         transaction_hash, sets_in_transaction, is_read)
       select chain_id, resolver, node, 0, '0x' || lpad(to_hex(i), 64, '0'), 'key ' || i, true, 1, 1, '0x', 1, false
       from domains cross join generate_series(1, 300) as i where full_name = 'moved.eth' returning 1`,
    );
    const { fields, left_out } = await verify("moved.eth");
    expect(left_out).toEqual(["more_records"]);
    expect(fields.length).toBeLessThan(130);
  });
});
