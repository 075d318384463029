import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBigInt,
  parseAbi,
  zeroAddress,
} from "viem";
import {
  addressOf,
  type Chain,
  ETH_NODE,
  encodeCall,
  hashLabel,
  type Label,
  nodeBelow,
  ROOT_NODE,
  rpc,
} from "../../devnet/acts.ts";

/** A name that a history may act on: its labels from the leftmost, its node, and its parent's. */
export type Place = { label: Label; labels: readonly Label[]; node: Hex; parent: Hex };

/** The contracts' state of a place before a step; zero if they have none. */
export type State = {
  registryOwner: Address;
  resolver: Address;
  oldOwner: Address;
  /** Whether the registry of 2020 has its own record. */
  isMigrated: boolean;
  wrapperOwner: Address;
  fuses: number;
  wrapperExpiry: bigint;
  registrant: Address;
  expiry: bigint;
};

/** One step's view of its history: the chain, the names, their state, and choices made by numbers. */
export type Scene = {
  chain: Chain;
  /** Prefix of every label of the history, so that histories on one chain do not meet. */
  prefix: string;
  people: readonly Address[];
  deployer: Address;
  places: readonly Place[];
  states: Map<Hex, State>;
  /** Unix time of the newest block. */
  now: bigint;
  /** An item of the list, by the step's next number. */
  pick: <Item>(list: readonly Item[]) => Item;
  /** A number below `bound`, by the step's next number. */
  number: (bound: number) => number;
};

/** Labels of the history's .eth names: plain ones, some that no name can show, and some unusual ones. */
const ethLabels = (prefix: string): Label[] => [
  ...["a", "b", "c", "d", "e"].map((end) => `${prefix}${end}`),
  `${prefix}Ünnormal ☃`,
  `${prefix}🧑‍🚀`,
  `${prefix}.dotted.label`,
  `[${prefix}]`,
  `${prefix}\u0000nul`,
  Uint8Array.from([...new TextEncoder().encode(prefix), 0xff, 0xfe, 0x80]),
  `${prefix}${"long".repeat(2560)}`,
];

const subLabels: Label[] = ["pay", "www", "a.b", "🔥", Uint8Array.from([0x78, 0xc3, 0x28]), "x".repeat(255)];

/** All names that a history may act on, each followed by its subnames; the first ones are used most. */
export function placesOf(prefix: string): Place[] {
  const [first, second, third, ...eth] = ethLabels(prefix).map((label) => toPlace([label, "eth"])) as Named;
  const below = (place: Place, index: number) => [
    place,
    ...[subLabels[index % 2] ?? "pay", subLabels[2 + (index % 4)] ?? "www"].flatMap((label, position) => {
      const child = toPlace([label, ...place.labels]);
      return position === 0 && index < 4 ? [child, toPlace(["www", ...child.labels])] : [child];
    }),
  ];
  const old = [`${prefix}old`, `${prefix}tld`].map((label) => toPlace([label]));
  const parents = [first, second, ...old, third, ...eth.slice(0, 4)];
  const onlyOld = [`${prefix}old2`, `${prefix}old3`, `${prefix}old4`].map((label) => toPlace([label]));
  return [...parents.flatMap(below), ...eth.slice(4), ...onlyOld];
}

type Named = [Place, Place, Place, ...Place[]];

function toPlace(labels: readonly Label[]): Place {
  const node = labels.reduceRight<Hex>((parent, label) => nodeBelow(parent, label), ROOT_NODE);
  const parent = labels.slice(1).reduceRight<Hex>((above, label) => nodeBelow(above, label), ROOT_NODE);
  return { label: labels[0] ?? "", labels, node, parent };
}

/** Whether a place is a .eth second-level name. */
export const isEthName = (place: Place): boolean => place.parent === ETH_NODE;

const multicallAbi = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
]);

/** Questions about every place, and those only about .eth names. */
const READS = 5;
const REGISTRAR_READS = 2;

/** The one call that asks the contracts for the state of every place; it stays the same throughout a history. */
export function encodeSurvey(chain: Chain, places: readonly Place[]): Hex {
  const ask = (contract: string, functionName: string, arg: unknown) => ({
    target: addressOf(chain, contract),
    allowFailure: true,
    callData: encodeCall(chain, { contract, functionName, args: [arg] }),
  });
  const calls = places.flatMap((place) => {
    const token = hexToBigInt(hashLabel(place.label));
    return [
      ask("registry", "owner", place.node),
      ask("registry", "resolver", place.node),
      ask("oldRegistry", "owner", place.node),
      ask("wrapper", "getData", hexToBigInt(place.node)),
      ask("registry", "recordExists", place.node),
      ...(isEthName(place)
        ? [ask("registrar", "ownerOf", token), ask("registrar", "nameExpires", token)]
        : []),
    ];
  });
  return encodeFunctionData({ abi: multicallAbi, functionName: "aggregate3", args: [calls] });
}

/** The result of a survey, and its block. */
export type Survey = { call: Hex; block: Hex | null; states: Map<Hex, State> };

/** The states at the newest block; they are not read again if the last step mined no block. */
async function survey(told: Survey, { chain, places }: Pick<Scene, "chain" | "places">): Promise<bigint> {
  const { hash, timestamp } = await rpc<{ hash: Hex; timestamp: Hex }>(chain, "eth_getBlockByNumber", [
    "latest",
    false,
  ]);
  if (told.block !== hash) told.states = await readStates(chain, places, told.call);
  told.block = hash;
  return BigInt(timestamp);
}

async function readStates(chain: Chain, places: readonly Place[], data: Hex): Promise<Map<Hex, State>> {
  const to = addressOf(chain, "multicall3");
  const answer = await rpc<Hex>(chain, "eth_call", [{ to, data }, "latest"]);
  const results = decodeFunctionResult({ abi: multicallAbi, functionName: "aggregate3", data: answer });
  const words = results.map(({ success, returnData }) =>
    success ? (returnData.slice(2).match(/.{64}/g) ?? []) : [],
  );
  return new Map(
    places.map((place) => {
      const own = words.splice(0, isEthName(place) ? READS + REGISTRAR_READS : READS);
      return [place.node, toState(own)];
    }),
  );
}

function toState(words: readonly string[][]): State {
  const [registryOwner, resolver, oldOwner, data, recordExists, registrant, expiry] = words;
  const address = (word: string | undefined) => (word ? getAddress(`0x${word.slice(24)}`) : zeroAddress);
  const integer = (word: string | undefined) => BigInt(`0x${word || "0"}`);
  return {
    registryOwner: address(registryOwner?.[0]),
    resolver: address(resolver?.[0]),
    oldOwner: address(oldOwner?.[0]),
    isMigrated: integer(recordExists?.[0]) === 1n,
    wrapperOwner: address(data?.[0]),
    fuses: Number(integer(data?.[1])),
    wrapperExpiry: integer(data?.[2]),
    registrant: address(registrant?.[0]),
    expiry: integer(expiry?.[0]),
  };
}

/** The scene of one step. */
export async function toScene(
  history: Pick<Scene, "chain" | "prefix" | "places">,
  { numbers, told }: { numbers: readonly number[]; told: Survey },
): Promise<Scene> {
  const { chain } = history;
  const [deployer, ...others] = chain.accounts;
  if (deployer === undefined) throw new Error("The chain has no accounts");
  const left = [...numbers];
  const number = (bound: number) => (left.shift() ?? 0) % bound;
  const now = await survey(told, history);
  return {
    ...history,
    deployer,
    people: others.slice(0, 4),
    states: told.states,
    now,
    number,
    pick: (list) => list[number(list.length)] as (typeof list)[number],
  };
}

/** A step without a suitable object: no name is in the required state. */
export class NothingFits extends Error {
  override name = "NothingFits";
}

/** A place that meets the condition, searched from the step's next number on. Throws {@link NothingFits}. */
export function findPlace(scene: Scene, fits: (place: Place, state: State) => boolean): Place {
  // Squaring an even choice favours the first names, so that acts accumulate there.
  const start = Math.floor((scene.number(10_000) / 10_000) ** 2 * scene.places.length);
  const turned = [...scene.places.slice(start), ...scene.places.slice(0, start)];
  const found = turned.find((place) => fits(place, stateOf(scene, place)));
  if (found === undefined) throw new NothingFits("No name is as the act needs it");
  return found;
}

/** The contracts' state of a place before the step. */
export function stateOf(scene: Scene, place: Place): State {
  const state = scene.states.get(place.node);
  if (state === undefined) throw new Error("A place of another history");
  return state;
}

/** Whether this address can send: one of the people. */
export const isPerson = (scene: Scene, address: Address): boolean => scene.people.includes(address);

/** The account that may write to a place: the wrapper's token owner for a wrapped name, otherwise the registry owner. */
export const writerOf = (scene: Scene, state: State): Address =>
  isWrappedState(scene, state) ? state.wrapperOwner : state.registryOwner;

/** Whether the NameWrapper holds a place in the registry. */
export const isWrappedState = ({ chain }: Scene, state: State): boolean =>
  state.registryOwner === addressOf(chain, "wrapper");
