import { encodeFunctionData, type Hex, parseAbi, zeroAddress } from "viem";
import { expect } from "vitest";
import { type EntryState, hashLabel, read, rpc } from "../../devnet/acts.ts";
import { lower, type Stage } from "./stage.ts";

/*
 * Who may change names of ENSv2, tested on its registries: each power that an answer lists is used by a call from that account,
 * which must not revert; the same calls from other accounts must.
 */

const abi = parseAbi([
  "function setResolver(uint256 anyId, address resolver)",
  "function setSubregistry(uint256 anyId, address registry)",
  "function renew(uint256 anyId, uint64 newExpiry)",
  "function unregister(uint256 anyId)",
  "function unsafeTransfer(address to, uint256 tokenId, bytes data)",
]);

/** Receives what is given away in a call; it has no code. */
const RECEIVER = "0x00000000000000000000000000000000dead0001";
const LATEST = 2n ** 64n - 1n;
/** Accounts that are tried although no answer lists them. */
const STRANGERS = 3;

type Row = {
  address: Hex;
  kind: string;
  layer: string;
  contract_address: Hex;
  may: string[];
  in_force: boolean | null;
};
type Answer = {
  protocol?: string;
  permissions: Row[];
  not_covered: { surface: string }[];
  total: number;
  next_cursor: string | null;
};

type Attempt = { power: string; to: Hex; data: Hex };

/** Tries the powers that an answer about a name lists. Returns how many calls had the expected result. */
export async function expectPermissionsAsOnChain(stage: Stage, name: string, turn: number): Promise<number> {
  const answer = await readAll(stage, name);
  const holder = answer.rows.find(({ kind, layer }) => kind === "owner" && layer === "token");
  if (answer.protocol !== "ensv2" || holder === undefined) return 0;
  const attempts = await attemptsOn(stage, {
    name,
    rows: answer.rows,
    registry: lower(holder.contract_address),
  });
  const { accounts } = stage.chain;
  const strangers = Array.from(
    { length: STRANGERS },
    (_, i) => accounts[(turn + i) % accounts.length] as Hex,
  );
  // There a holder above can have roles without a log.
  const hasOthers = answer.surfaces.includes("ensv2_wrapper_registry");
  const everyone = new Set([...strangers, ...answer.rows.map(({ address }) => address)].map(lower));
  let tried = 0;
  for (const { power, to, data } of attempts) {
    const listed = new Set(
      answer.rows
        .filter((row) => row.in_force && row.may.some((action) => `${sideOf(row)} ${action}` === power))
        .map(({ address }) => lower(address)),
    );
    for (const from of everyone) {
      if (hasOthers && !listed.has(from)) continue;
      const can = await goesThrough(stage, { from, to, data });
      expect({ name, power, from, can }).toEqual({ name, power, from, can: listed.has(from) });
      tried++;
    }
  }
  return tried;
}

const sideOf = ({ kind, layer }: Row) => `${kind.startsWith("parent_") ? "parent-" : ""}${layer}`;

/** All pages of an answer. */
async function readAll({ stack }: Stage, name: string) {
  const rows: Row[] = [];
  let cursor: string | null = null;
  for (;;) {
    const next: string = cursor === null ? "" : `&cursor=${cursor}`;
    const { status, body } = await stack.api(`/domain/${name}/permissions?page_size=4${next}`);
    expect({ name, status }).toEqual({ name, status: 200 });
    const { protocol, permissions, not_covered, total, next_cursor } = body as Answer;
    rows.push(...permissions);
    cursor = next_cursor;
    if (cursor !== null) continue;
    expect({ name, total }).toEqual({ name, total: rows.length });
    return { protocol, rows, surfaces: not_covered.map(({ surface }) => surface) };
  }
}

type Asked = { name: string; rows: readonly Row[]; registry: Hex };

async function attemptsOn({ chain }: Stage, { name, rows, registry }: Asked): Promise<Attempt[]> {
  const [label = "", parent = ""] = name.split(".");
  const id = BigInt(hashLabel(label));
  const state = await read<EntryState>(chain, { contract: registry, functionName: "getState", args: [id] });
  const later = state.expiry === LATEST ? LATEST : state.expiry + 1n;
  const above = rows.find(({ kind }) => kind === "parent_role");
  return [
    {
      power: "token set_resolver",
      to: registry,
      data: encodeFunctionData({ abi, functionName: "setResolver", args: [id, RECEIVER] }),
    },
    {
      power: "token set_subregistry",
      to: registry,
      data: encodeFunctionData({ abi, functionName: "setSubregistry", args: [id, RECEIVER] }),
    },
    {
      power: "token renew",
      to: registry,
      data: encodeFunctionData({ abi, functionName: "renew", args: [id, later] }),
    },
    {
      power: "token unregister",
      to: registry,
      data: encodeFunctionData({ abi, functionName: "unregister", args: [id] }),
    },
    {
      power: "token transfer_token",
      to: registry,
      data: encodeFunctionData({
        abi,
        functionName: "unsafeTransfer",
        args: [RECEIVER, state.tokenId, "0x"],
      }),
    },
    ...(above === undefined
      ? []
      : [
          {
            power: "parent-token replace",
            to: lower(above.contract_address),
            data: encodeFunctionData({
              abi,
              functionName: "setSubregistry",
              args: [BigInt(hashLabel(parent)), zeroAddress],
            }),
          },
        ]),
  ];
}

async function goesThrough({ chain }: Stage, call: { from: Hex; to: Hex; data: Hex }): Promise<boolean> {
  try {
    await rpc(chain, "eth_call", [call, "latest"]);
    return true;
  } catch (error) {
    if (error instanceof Error && /revert/i.test(error.message)) return false;
    throw error;
  }
}
