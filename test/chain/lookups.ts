import { setTimeout as sleep } from "node:timers/promises";
import {
  decodeAbiParameters,
  encodeFunctionData,
  type Hex,
  namehash,
  parseAbi,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import { expect } from "vitest";
import type { Deployment } from "../../abis/deployments.ts";
import { universalResolverAbi } from "../../abis/universalResolver.ts";
import { type Chain, dnsEncode } from "../../devnet/acts.ts";
import type { Stack } from "../support/stack.ts";

/*
 * A lookup of many names gives the single operations' answers for each, and names by address record are those that resolve to it.
 */

type Body = Record<string, unknown>;
type Item = Body & { status: string };

const types = ["text", "addr", "contenthash", "abi", "interface", "pubkey", "name"];

/** The journal's block is given once for a whole answer. */
const withoutBlock = ({ as_of: _, ...body }: Body): Body => body;

const NODE_TIMEOUT_MS = 180_000;

/** If the node or a gateway was slow because the machine stood still, the API is asked again. */
async function inTime(ask: () => Promise<Body>): Promise<Body> {
  for (const deadline = Date.now() + NODE_TIMEOUT_MS; ; await sleep(500)) {
    const answer = await ask();
    const isLate = JSON.stringify(answer).includes("did not answer in time");
    if (!isLate || Date.now() > deadline) return answer;
  }
}

const post = (stack: Stack, path: string, body: unknown): Promise<Body> =>
  inTime(async () => {
    const headers = { "content-type": "application/json" };
    const reply = await fetch(`${stack.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = (await reply.json()) as Body;
    expect(reply.status, `${path}: ${JSON.stringify(answer)}`).toBe(200);
    return answer;
  });

const get = (stack: Stack, path: string): Promise<Body> =>
  inTime(async () => {
    const { status, body } = await stack.api<Body>(path);
    expect(status, `${path}: ${JSON.stringify(body)}`).toBe(200);
    return withoutBlock(body);
  });

/** Compares a lookup with the single operations, item by item. Returns how many names had records. */
export async function expectLookupAsSingle(stack: Stack, names: readonly string[]): Promise<number> {
  await stack.waitForHead();
  const choice = { inputs: names, records: { types, cleared: true }, primary_name_check: true };
  const { results } = (await post(stack, "/lookup", choice)) as { results: Item[] };
  let withRecords = 0;
  for (const [i, name] of names.entries()) {
    const path = encodeURIComponent(name);
    const { status, domain, records, records_source, unresolved, primary_name_check } = results[i] as Item;
    expect(domain, name).toEqual(await get(stack, `/whois/${path}?partial=true`));
    const single = await get(stack, `/domain/${path}/records?partial=true&cleared=true&types=${types}`);
    const of = { records: single.records, records_source: single.source, unresolved: single.unresolved };
    expect({ records, records_source, unresolved }, name).toEqual(of);
    if (status !== "unresolved")
      await expectCheck(stack, { name, check: primary_name_check as Body, single });
    if (Object.keys((records as { texts: object } | undefined)?.texts ?? {}).length > 0) withRecords++;
  }
  return withRecords;
}

/** Compares the address in the records for Ethereum, if the index has it. */
async function expectCheck(
  stack: Stack,
  { name, check, single }: { name: string; check: Body; single: Body },
) {
  const own = (single.records as { addresses: Record<string, string> }).addresses["60"];
  if (own !== undefined) expect(check.address, name).toBe(own);
  if (check.address === null) return;
  const { primary_name } = await get(stack, `/address/${check.address}/primary-name`);
  const is_primary = primary_name !== null && primary_name === (single.domain as string);
  expect(check, name).toEqual({ address: check.address, primary_name, is_primary });
}

const addr = parseAbi([
  "function addr(bytes32 node) view returns (address)",
  "function addr(bytes32 node, uint256 coinType) view returns (bytes)",
]);

export type Place = { stack: Stack; chain: Chain; deployment: Deployment };

/** A name's address from the Universal Resolver; null if it has none. */
async function readAddress({ chain, deployment }: Place, name: string, coin: bigint): Promise<Hex | null> {
  const isEthereum = coin === 60n;
  const args = isEthereum ? ([namehash(name)] as const) : ([namehash(name), coin] as const);
  const data = encodeFunctionData({ abi: addr, functionName: "addr", args });
  const address = deployment.ensv2?.universalResolver?.top ?? deployment.universalResolver;
  const question = {
    ...({ address: address as Hex, abi: universalResolverAbi } as const),
    functionName: "resolveWithGateways",
    args: [dnsEncode(name.split(".")), data, []],
  } as const;
  const [result] = await chain.client.readContract(question).catch(() => ["0x"] as const);
  if (result === "0x" || (result.length - 2) % 64 === 8) return null;
  const [value] = isEthereum
    ? decodeAbiParameters([{ type: "address" }], result)
    : decodeAbiParameters([{ type: "bytes" }], result);
  const bytes = value.toLowerCase() as Hex;
  return bytes === "0x" || bytes === zeroAddress ? null : bytes;
}

const COINS = [60n, 2147483648n, 2147492101n];

/**
 * Compares the names by address record with the Universal Resolver's answer for each of these names. Names that the index does
 * not answer for are in no list. Returns how many names have an address.
 */
export async function expectNamesByAddress(place: Place, names: readonly string[]): Promise<number> {
  const { stack } = place;
  await stack.waitForHead();
  const indexed: string[] = [];
  for (const name of names) {
    const { source, records } = await get(stack, `/domain/${encodeURIComponent(name)}/records?partial=true`);
    // A name without a row is answered by a resolver above it, as are all names there: such names are in no list.
    const rows = await stack.sql("select from domains where node = $1", [namehash(name)]);
    if (source === "indexed" && records !== undefined && rows.length > 0) indexed.push(name);
  }
  let found = 0;
  for (const coin of COINS) {
    const pairs = await Promise.all(
      indexed.map(async (name) => [name, await readAddress(place, name, coin)] as const),
    );
    const byAddress = Map.groupBy(
      pairs.filter(([, address]) => address?.length === 42),
      ([, address]) => address as Hex,
    );
    for (const [address, held] of byAddress) {
      const listed = await listNames(stack, `/address/${address}/resolves-to?coin_type=${coin}&page_size=2`);
      const expected = held.map(([name]) => name).sort();
      expect(listed.filter((name) => indexed.includes(name)).sort(), `${address} ${coin}`).toEqual(expected);
      found += held.length;
    }
    for (const [name, address] of pairs.filter(([, address]) => address === null)) {
      const own = await stack.sql<{ address: Hex }>(
        "select distinct address from address_records where node = $1 and length(address) = 42 and coin_type = $2",
        [namehash(name), String(coin)],
      );
      for (const { address: stored } of own) {
        const listed = await listNames(stack, `/address/${stored}/resolves-to?coin_type=${coin}`);
        expect(listed, `${name} ${stored} ${coin} ${address}`).not.toContain(name);
      }
    }
  }
  return found;
}

/**
 * Errors of the Universal Resolver that mean that no resolver answers. A resolver that asks the other system passes its error on,
 * and that of `eth` itself knows no addresses of the names below.
 */
const NO_RESOLVER = new RegExp(
  `ResolverNotFound|ResolverNotContract|UnsupportedResolverProfile|UnreachableName|${toFunctionSelector("UnreachableName(bytes)")}`,
);

/**
 * A resolver with `resolve` that returned nothing, not even an error: two resolvers that ask each other until their gas is gone.
 * It exists, and its other records stay unknown.
 */
const FAILED_CALL = /UnsupportedResolverProfile\(bytes4 selector\)\s+\(0x9061b923\)/;

/** Compares whether names resolve, by whois, with the Universal Resolver. Returns how many do not. */
export async function expectResolution(
  { stack, chain, deployment }: Place,
  names: readonly string[],
): Promise<number> {
  await stack.waitForHead();
  const address = deployment.ensv2?.universalResolver?.top ?? deployment.universalResolver;
  let without = 0;
  for (const name of names) {
    const whois = await get(stack, `/whois/${encodeURIComponent(name)}?partial=true`);
    const { resolution } = whois;
    if (resolution === undefined || name.includes("[")) continue;
    const data = encodeFunctionData({ abi: addr, functionName: "addr", args: [namehash(name)] });
    const failure = await chain.client
      .readContract({
        ...({ address: address as Hex, abi: universalResolverAbi } as const),
        functionName: "resolveWithGateways",
        args: [dnsEncode(name.split(".")), data, []],
      })
      .then(
        () => "",
        (error: Error) => error.message,
      );
    if (FAILED_CALL.test(failure)) continue;
    const hasNone = NO_RESOLVER.test(failure);
    expect([name, resolution === "resolves"], `${failure}\n${JSON.stringify(whois)}`).toEqual([
      name,
      !hasNone,
    ]);
    if (hasNone) without++;
  }
  return without;
}

/** The same for names of a layer 2, whose addresses come from another index that asks the bridges. */
export async function expectNamesOfBridges(
  { stack }: Place,
  asking: Stack,
  names: readonly string[],
): Promise<number> {
  await stack.waitForHead();
  const own: { name: string; address: string | undefined }[] = [];
  for (const name of names) {
    const { source } = await get(stack, `/domain/${name}/records`);
    const { records } = await get(asking, `/domain/${name}/records`);
    const address = (records as { addresses: Record<string, string> }).addresses["60"];
    own.push({ name, address: source === "indexed" ? address : undefined });
  }
  const byAddress = Map.groupBy(
    own.filter(({ address }) => address !== undefined),
    ({ address }) => address as string,
  );
  for (const [address, held] of byAddress) {
    const listed = await listNames(stack, `/address/${address}/resolves-to?coin_type=60&page_size=2`);
    const known = own.map(({ name }) => name);
    expect(listed.filter((name) => known.includes(name)).sort()).toEqual(held.map(({ name }) => name).sort());
  }
  return [...byAddress.values()].flat().length;
}

async function listNames(stack: Stack, path: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Body = await get(stack, cursor === "" ? path : `${path}&cursor=${cursor}`);
    names.push(...(page.results as { name: string }[]).map(({ name }) => name));
    cursor = page.next_cursor as string | null;
  }
  return names;
}
