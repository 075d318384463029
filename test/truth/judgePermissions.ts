import {
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  stringToBytes,
  zeroAddress,
  zeroHash,
} from "viem";
import { ETH_NODE } from "../devnet/acts/names.ts";
import { ask, requestMany, toQuantity } from "./chainReads.ts";
import type { Judge } from "./judge.ts";
import { type Ledger, pathOf } from "./ledger.ts";
import type { Position } from "./names.ts";
import { contractOf, type Row } from "./oracle.ts";

/*
 * Permissions, judged by the contracts: each power that an answer lists is used by a call from that account, at the time of the
 * question, and must not revert. The same calls from other accounts must revert.
 */

const abi = parseAbi([
  "function setOwner(bytes32 node, address owner)",
  "function setResolver(bytes32 node, address resolver)",
  "function setSubnodeOwner(bytes32 node, bytes32 label, address owner)",
  "function transferFrom(address from, address to, uint256 id)",
  "function reclaim(uint256 id, address owner)",
  "function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
  "function unwrapETH2LD(bytes32 labelhash, address registrant, address controller)",
  "function unwrap(bytes32 parentNode, bytes32 labelhash, address controller)",
  "function setFuses(bytes32 node, uint16 fuses)",
  "function approve(address to, uint256 id)",
  "function canExtendSubnames(bytes32 node, address addr) view returns (bool)",
  "function extendExpiry(bytes32 parentNode, bytes32 labelhash, uint64 expiry)",
  "function setChildFuses(bytes32 parentNode, bytes32 labelhash, uint32 fuses, uint64 expiry)",
  "function setText(bytes32 node, string key, string value)",
]);

const wrapperSubnode = parseAbi([
  "function setSubnodeOwner(bytes32 parentNode, string label, address owner, uint32 fuses, uint64 expiry)",
]);

/** Receives what is given away in a call; it has no code and owns nothing. */
const RECEIVER = "0x00000000000000000000000000000000dead0001";
const PROBE = "permission-probe";
const CANNOT_UNWRAP = 1;
/** A fuse of the parent without a meaning, which no history burns: burning one that is burnt changes nothing, and is allowed. */
const UNNAMED_FUSE = 1 << 30;
const LATEST = 2n ** 64n - 1n;

/** One thing that an account may be able to do with a name: `<layer> <action>`, with `parent` where the name above gives it. */
type Attempt = { power: string; to: Hex; data: (account: Hex) => Hex };

/** Accounts that are tried without being listed, for each name. */
const STRANGERS = 4;

type Contracts = Record<"registry" | "registryOld" | "registrar" | "wrapper", Hex | undefined>;

/** Tries what every name's answer lists. */
export async function judgePermissions(judge: Judge): Promise<void> {
  const address = (role: Parameters<typeof contractOf>[1], generation: number) =>
    contractOf(judge, role, generation)?.address;
  const contracts: Contracts = {
    registry: address("registry", 2),
    registryOld: address("registry", 1),
    registrar: address("registrar", 2),
    wrapper: address("wrapper", 1),
  };
  const accounts = listAccounts(judge);
  for (const [place, [node, ledger]] of [...judge.ledgers].entries()) {
    const path = pathOf(node, judge.ledgers);
    if (path === null || path === "") continue;
    const answer = await readAll(judge, path);
    const strangers = Array.from(
      { length: STRANGERS },
      (_, i) => accounts[(place + i) % accounts.length] as Hex,
    );
    await judgeName(judge, { node, path, ledger, answer, contracts, strangers });
  }
}

/** Accounts of people that any log names. */
function listAccounts({ logs, deployment }: Judge): Hex[] {
  const contracts = new Set(deployment.contracts.map((entry) => lower(entry.address)));
  const named = logs.flatMap(({ args }) => Object.values(args)).filter(isAddress);
  return [...new Set(named.map(lower))].filter((one) => one !== zeroAddress && !contracts.has(one)).sort();
}

const isAddress = (value: unknown): value is Hex =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value);

/** All pages of an answer. The total is the number of rows. */
async function readAll({ get, same }: Judge, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: unknown = null;
  let total: unknown;
  do {
    const next = cursor === null ? "" : `&cursor=${String(cursor)}`;
    const answer = await get(`/domain/${path}/permissions?page_size=3${next}`);
    rows.push(...((answer.permissions ?? []) as Row[]));
    [cursor, total] = [answer.next_cursor ?? null, answer.total];
  } while (cursor !== null);
  same(`total of permissions of ${path}`, total, rows.length);
  return rows;
}

type Asked = {
  node: Hex;
  path: string;
  ledger: Ledger;
  answer: readonly Row[];
  contracts: Contracts;
  strangers: readonly Hex[];
};

async function judgeName(judge: Judge, asked: Asked): Promise<void> {
  const { answer, path, strangers } = asked;
  const unknown = new Set(answer.filter((row) => row.in_force === null).map(sideOf));
  const listed = new Map<string, Set<Hex>>();
  for (const row of answer) {
    for (const action of row.in_force === true ? (row.may as string[]) : []) {
      const power = `${sideOf(row)} ${action}`;
      listed.set(power, (listed.get(power) ?? new Set()).add(lower(row.address)));
    }
  }
  // A token that is left over is still its holder's, and is no longer the name.
  const isLeftOver =
    answer.some((row) => row.layer === "wrapper" && row.kind === "owner") && !(await isWrapped(judge, asked));
  const ofToken = ["transfer_token", "approve", "burn_fuses", "extend_subnames"];
  const attempts = attemptsOn(judge, asked).filter(({ power }) => {
    const [side = "", action = ""] = power.split(" ");
    return !unknown.has(side) && !(side === "wrapper" && isLeftOver && ofToken.includes(action));
  });
  const known = new Set(attempts.map(({ power }) => power));
  for (const power of listed.keys()) {
    if (!known.has(power) && !isUntried(power)) judge.same(`${path}: ${power}`, "listed", "nothing to try");
  }
  // The same call can stand for a power of the name and for one of the name above.
  const allowedFor = (attempt: Attempt) =>
    new Set(
      attempts
        .filter((one) => one.to === attempt.to && one.data(RECEIVER) === attempt.data(RECEIVER))
        .flatMap(({ power }) => [...(listed.get(power) ?? [])]),
    );
  const own = new Set(judge.deployment.contracts.map((entry) => lower(entry.address)));
  const everyone = new Set([...strangers, ...answer.map((row) => lower(row.address))]);
  const calls = attempts.flatMap((attempt) => {
    const allowed = allowedFor(attempt);
    // Where the old registry no longer decides, what it lets do says nothing of the name.
    const isMoot = attempt.power.includes("registry_old") && allowed.size === 0;
    // Resolvers trust a controller and a reverse registrar: the answer says that it does not list them.
    const isTrusted = (from: Hex) => attempt.power === "resolver set_records" && own.has(from);
    const senders = [...everyone].filter((from) => !isTrusted(from) || allowed.has(from));
    return isMoot ? [] : senders.map((from) => ({ attempt, from, isListed: allowed.has(from) }));
  });
  const can = await tryAll(judge, calls);
  for (const [i, { attempt, from, isListed }] of calls.entries()) {
    judge.same(`${path}: ${attempt.power} by ${from}`, isListed, can[i]);
  }
}

const ownerAbi = parseAbi([
  "function owner(bytes32 node) view returns (address)",
  "function ownerOf(uint256 id) view returns (address)",
]);

/** Whether the registry has the name, and the registrar a .eth name, as the NameWrapper's. */
async function isWrapped({ rpcUrl }: Judge, { node, ledger, contracts }: Asked): Promise<boolean> {
  const { registry, registrar, wrapper } = contracts;
  if (registry === undefined || registrar === undefined) return false;
  const inRegistry = { to: registry, abi: ownerAbi, functionName: "owner", args: [node] };
  const { parent, labelhash = zeroHash } = ledger.position ?? {};
  const inRegistrar = { to: registrar, abi: ownerAbi, functionName: "ownerOf", args: [BigInt(labelhash)] };
  // At time 0 the registrar answers the holder of an expired name, too.
  const asked = parent === ETH_NODE ? [inRegistry, inRegistrar] : [inRegistry];
  const owners = await ask<Hex>(rpcUrl, asked, { time: 0n });
  return owners.every((owner) => owner !== null && lower(owner) === lower(wrapper));
}

const lower = (value: unknown): Hex => String(value).toLowerCase() as Hex;

/** The layer of a row, with a mark where the name above gives it. */
const sideOf = (row: Row): string =>
  `${String(row.kind).startsWith("parent_") ? "parent-" : ""}${String(row.layer)}`;

/** Powers that are tried only where the text of the label is known. */
const isUntried = (power: string): boolean => power === "parent-wrapper replace";

type Call = { attempt: Attempt; from: Hex };

/** Whether each call goes through at the time of the question. */
async function tryAll({ rpcUrl, now }: Judge, calls: readonly Call[]): Promise<boolean[]> {
  const answers = await requestMany<Hex>(
    rpcUrl,
    calls.map(({ attempt, from }) => ({
      method: "eth_call",
      params: [{ from, to: attempt.to, data: attempt.data(from) }, "latest", {}, { time: toQuantity(now) }],
    })),
  );
  return answers.map((answer, i) => {
    if ("result" in answer) return !/^0x0+$/.test(answer.result) || !isView(calls[i] as Call);
    if (/revert|invalid opcode|EVM error|halt/i.test(answer.error)) return false;
    throw new Error(`${calls[i]?.attempt.power}: ${answer.error}`);
  });
}

const isView = ({ attempt }: Call) => attempt.power.endsWith("extend_subnames");

/** All that could be done with a name by these contracts. */
function attemptsOn(judge: Judge, asked: Asked): Attempt[] {
  const { node, ledger, answer, contracts } = asked;
  const { position } = ledger;
  const { wrapper } = contracts;
  const holderIn = (layer: string) =>
    lower(answer.find((row) => row.kind === "owner" && row.layer === layer)?.address ?? zeroAddress);
  const call = (power: string, to: Hex | undefined, data: Attempt["data"]): Attempt[] =>
    to === undefined ? [] : [{ power, to: to.toLowerCase() as Hex, data }];
  const id = BigInt(node);
  const resolver = ledgerResolver(judge, asked);
  return [
    ...(["registry", "registry_old"] as const).flatMap((layer) =>
      inRegistry(layer, layer === "registry" ? contracts.registry : contracts.registryOld, node),
    ),
    ...(position?.parent === ETH_NODE
      ? inRegistrar(contracts.registrar, position, holderIn("registrar"))
      : []),
    ...(wrapper === undefined ? [] : inWrapper(wrapper, { node, position, holder: holderIn("wrapper") })),
    ...call("wrapper extend_subnames", wrapper, (account) =>
      encodeFunctionData({ abi, functionName: "canExtendSubnames", args: [node, account] }),
    ),
    ...call("wrapper approve", wrapper, () =>
      encodeFunctionData({ abi, functionName: "approve", args: [RECEIVER, id] }),
    ),
    ...call("resolver set_records", resolver, () =>
      encodeFunctionData({ abi, functionName: "setText", args: [node, "k", "v"] }),
    ),
    ...(position === null ? [] : ofParent(judge, position, contracts)),
  ];
}

/** The name's resolver, if the answer lists who may write there. */
function ledgerResolver({ deployment }: Judge, { answer, ledger }: Asked): Hex | undefined {
  const current = ledger.resolvers.at(-1)?.state ?? null;
  const entry = deployment.contracts.find(({ address }) => address.toLowerCase() === current);
  const isKnown = entry?.role === "resolver" && entry.static === true && entry.generation >= 3;
  const row = answer.find(({ layer }) => layer === "resolver");
  return isKnown ? (current ?? undefined) : row && lower(row.contract_address);
}

function inRegistry(layer: string, to: Hex | undefined, node: Hex): Attempt[] {
  if (to === undefined) return [];
  const labelhash = keccak256(stringToBytes(PROBE));
  const encode = {
    set_registry_owner: encodeFunctionData({ abi, functionName: "setOwner", args: [node, RECEIVER] }),
    set_resolver: encodeFunctionData({ abi, functionName: "setResolver", args: [node, RECEIVER] }),
    create_subnames: encodeFunctionData({
      ...{ abi, functionName: "setSubnodeOwner", args: [node, labelhash, RECEIVER] },
    }),
  };
  return Object.entries(encode).map(([action, data]) => ({
    ...{ power: `${layer} ${action}`, to: to.toLowerCase() as Hex, data: () => data },
  }));
}

function inRegistrar(to: Hex | undefined, { labelhash }: Position, holder: Hex): Attempt[] {
  if (to === undefined) return [];
  const id = BigInt(labelhash);
  const at = to.toLowerCase() as Hex;
  const transfer = encodeFunctionData({ abi, functionName: "transferFrom", args: [holder, RECEIVER, id] });
  const reclaim = encodeFunctionData({ abi, functionName: "reclaim", args: [id, RECEIVER] });
  return [
    { power: "registrar transfer_token", to: at, data: () => transfer },
    { power: "registrar set_registry_owner", to: at, data: () => reclaim },
  ];
}

type Wrapped = { node: Hex; position: Position | null; holder: Hex };

function inWrapper(wrapper: Hex, { node, position, holder }: Wrapped): Attempt[] {
  const to = wrapper.toLowerCase() as Hex;
  const id = BigInt(node);
  const data: Record<string, Hex> = {
    transfer_token: encodeFunctionData({
      ...{ abi, functionName: "safeTransferFrom", args: [holder, RECEIVER, id, 1n, "0x"] },
    }),
    set_resolver: encodeFunctionData({ abi, functionName: "setResolver", args: [node, RECEIVER] }),
    create_subnames: encodeFunctionData({
      abi: wrapperSubnode,
      functionName: "setSubnodeOwner",
      args: [node, PROBE, RECEIVER, 0, 0n],
    }),
    burn_fuses: encodeFunctionData({ abi, functionName: "setFuses", args: [node, CANNOT_UNWRAP] }),
    ...(position && {
      unwrap:
        position.parent === ETH_NODE
          ? encodeFunctionData({
              ...{ abi, functionName: "unwrapETH2LD", args: [position.labelhash, RECEIVER, RECEIVER] },
            })
          : encodeFunctionData({
              ...{ abi, functionName: "unwrap", args: [position.parent, position.labelhash, RECEIVER] },
            }),
      extend_expiry: encodeFunctionData({
        ...{ abi, functionName: "extendExpiry", args: [position.parent, position.labelhash, LATEST] },
      }),
    }),
  };
  return Object.entries(data).map(([action, one]) => ({ power: `wrapper ${action}`, to, data: () => one }));
}

function ofParent({ revealed }: Judge, { parent, labelhash }: Position, contracts: Contracts): Attempt[] {
  const label = revealed.get(labelhash);
  const isText = label !== undefined && label !== "" && keccak256(stringToBytes(label)) === labelhash;
  const take = encodeFunctionData({
    ...{ abi, functionName: "setSubnodeOwner", args: [parent, labelhash, RECEIVER] },
  });
  const at = (power: string, to: Hex | undefined, data: Hex): Attempt[] =>
    to === undefined ? [] : [{ power, to: to.toLowerCase() as Hex, data: () => data }];
  return [
    ...at("parent-registry replace", contracts.registry, take),
    ...at("parent-registry_old replace", contracts.registryOld, take),
    ...(parent === zeroHash || parent === ETH_NODE
      ? []
      : [
          ...at(
            "parent-wrapper extend_expiry",
            contracts.wrapper,
            encodeFunctionData({ abi, functionName: "extendExpiry", args: [parent, labelhash, LATEST] }),
          ),
          ...at(
            "parent-wrapper burn_fuses",
            contracts.wrapper,
            encodeFunctionData({
              ...{ abi, functionName: "setChildFuses" },
              args: [parent, labelhash, UNNAMED_FUSE, 0n],
            }),
          ),
          ...(isText && stringToBytes(label).length <= 255
            ? at(
                "parent-wrapper replace",
                contracts.wrapper,
                encodeFunctionData({
                  abi: wrapperSubnode,
                  functionName: "setSubnodeOwner",
                  args: [parent, label, RECEIVER, 0, 0n],
                }),
              )
            : []),
        ]),
  ];
}
