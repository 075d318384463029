import { type Abi, type Address, type Hex, hexToBigInt, zeroAddress } from "viem";
import { expect } from "vitest";
import {
  contractOf,
  dnsEncode,
  type EntryState,
  ETH_NODE,
  GRACE_V2,
  hashLabel,
  nodeOf,
} from "../../devnet/acts.ts";
import { askPast, type PastQuestion } from "../truth/pastReads.ts";
import { readEnsv2Contracts } from "./ensv2Reads.ts";
import { lower, type Stage } from "./stage.ts";

/*
 * Histories of owners in ENSv2, compared with the contracts at every block along the path to each name: the registry that its
 * parent leads to at that block, and the entry there. Between two blocks only time can end an entry or the path.
 */

/** How many names of a registry are followed. */
const MOST_NAMES = 8;

/** A second after a block, before the next one. */
type Moment = PastQuestion["moment"];

/** A name, and the second of the chain at which to ask about it. */
type Place = { name: string; moment: Moment };

type Period = { address: Address; reason: string; from_timestamp: number; to_timestamp: number | null };

/** The first second after each block, and the last one before the next, which the newest block lacks. */
async function listMoments({ client }: Stage["chain"], from: bigint): Promise<Moment[]> {
  const head = await client.getBlockNumber();
  const numbers = Array.from({ length: Number(head - from) + 1 }, (_, i) => from + BigInt(i));
  const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })));
  return blocks.flatMap(({ number, timestamp }, i) => {
    const end = blocks[i + 1]?.timestamp ?? timestamp;
    const seconds = new Set([timestamp + 1n, end - 1n].filter((time) => time > timestamp && time < end));
    return [...seconds].map((time) => ({ block: number, time }));
  });
}

/** The contracts' answers for each place; null if one ended the call. */
async function askAt<Of extends Place>(
  { local }: Stage,
  places: readonly Of[],
  question: (place: Of) => { to: Hex; abi: Abi; functionName: string; args: readonly unknown[] },
): Promise<{ place: Of; answer: unknown }[]> {
  const asked = places.map((place) => ({ ...question(place), moment: place.moment }));
  const answers = await askPast(local.anvil.url, asked);
  return places.map((place, i) => ({ place, answer: answers.get(asked[i] as PastQuestion) ?? null }));
}

/** The owner of an ENSv2 name by its entry: right under .eth until the end of grace, elsewhere until its expiry. */
function ownerOf(name: string, { expiry, latestOwner }: EntryState, now: bigint): Hex | null {
  const isEth = nodeOf(name.split(".").slice(1).join(".")) === ETH_NODE;
  const end = isEth ? expiry + GRACE_V2 : expiry;
  return latestOwner === zeroAddress || now >= end ? null : lower(latestOwner);
}

const isAt = ({ from_timestamp: from, to_timestamp: to }: Period, time: number): boolean =>
  from <= time && (to === null || time < to);

/** The periods in which a name's token had an owner, by its history. */
async function readPeriods({ stack }: Stage, name: string): Promise<Period[]> {
  const { status, body } = await stack.api<{ history: Period[]; total: number }>(
    `/domain/${name}/ownership-history`,
  );
  expect([name, status, body.total]).toEqual([name, 200, body.history.length]);
  return body.history.filter(({ reason }) => reason === "token");
}

type Difference = Place & { shown: string; owner: string };

/** A name at a second, with the registries on the way to it, from the one with its entry up to the root registry. */
type OnWay = Place & { way: readonly Hex[] };

/** The ways to names, without those on which a contract ends the call. */
async function readWays(stage: Stage, places: readonly Place[]): Promise<OnWay[]> {
  const helper = contractOf(stage.chain, "universalHelper");
  const ways = await askAt(stage, places, ({ name }) => ({
    to: helper.address,
    abi: helper.abi,
    functionName: "findRegistries",
    args: [dnsEncode(name.split(".").slice(1))],
  }));
  return ways.flatMap(({ place, answer }) =>
    answer === null ? [] : [{ ...place, way: (answer as Address[]).map(lower) }],
  );
}

/**
 * The ways that the index follows (docs/ensv2.md, Bounds): the logs of their contracts show what these store, none is below
 * itself, and none was ever at more names than are followed.
 */
function followed(ways: readonly OnWay[], registries: readonly Hex[]): OnWay[] {
  const there = (way: readonly Hex[]) => way.filter((registry) => registry !== zeroAddress);
  const plain = ways.filter(
    ({ way }) =>
      there(way).every((one) => registries.includes(one)) && new Set(there(way)).size === there(way).length,
  );
  const parents = Map.groupBy(plain, ({ way }) => way[0]);
  const isCrowded = (registry: Hex) =>
    new Set(parents.get(registry)?.map(({ name }) => nodeOf(name.split(".").slice(1).join(".")))).size >
    MOST_NAMES;
  const crowded = new Set(registries.filter(isCrowded));
  return plain.filter(({ way }) => !way.some((registry) => crowded.has(registry)));
}

/** One line for each run of the same difference. */
const toStretches = (wrong: readonly Difference[]): string[] =>
  [...Map.groupBy(wrong, ({ name, shown, owner }) => `${name}: history ${shown}, contracts ${owner}`)].map(
    ([what, at]) =>
      `${what}, ${at.length} times from ${at[0]?.moment.block}/${at[0]?.moment.time} to ${at.at(-1)?.moment.block}/${at.at(-1)?.moment.time}`,
  );

/**
 * Expects histories to have the token owners that the contracts answer, at every block from one on. Returns how many answers were
 * compared: names on ways that the index does not follow are not. To know these, it needs `others`: names of the same registries
 * that are not compared.
 */
export async function expectHistoriesAsOnChain(
  stage: Stage,
  { names, others = [], from }: { names: readonly string[]; others?: readonly string[]; from: bigint },
): Promise<number> {
  const { registries } = await readEnsv2Contracts(stage.local);
  const moments = await listMoments(stage.chain, from);
  const places = [...names, ...others].flatMap((name) => moments.map((moment) => ({ name, moment })));
  const known = followed(await readWays(stage, places), registries).filter(({ name }) =>
    names.includes(name),
  );
  const { abi } = contractOf(stage.chain, "ethRegistry");
  const held = known.filter(({ way }) => way[0] !== zeroAddress);
  const entries = await askAt(stage, held, ({ name, way }) => ({
    to: way[0] ?? zeroAddress,
    abi,
    functionName: "getState",
    args: [hexToBigInt(hashLabel(name.split(".")[0] ?? ""))],
  }));
  const stateOf = new Map(entries.map(({ place, answer }) => [place, answer as EntryState | null]));
  const knownOf = Map.groupBy(known, ({ name }) => name);
  const wrong: Difference[] = [];
  for (const name of names) {
    const periods = await readPeriods(stage, name);
    for (const place of knownOf.get(name) ?? []) {
      const state = stateOf.get(place) ?? null;
      const owner = (state && ownerOf(name, state, place.moment.time)) ?? "none";
      const told = periods.filter((period) => isAt(period, Number(place.moment.time)));
      const shown = told.map(({ address }) => lower(address)).join() || "none";
      if (shown !== owner) wrong.push({ ...place, shown, owner });
    }
  }
  expect(toStretches(wrong).slice(0, 40), `${wrong.length} of ${known.length} differ`).toEqual([]);
  return known.length;
}
