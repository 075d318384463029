import { type Address, type Hex, hexToBigInt, parseAbi } from "viem";
import {
  DAY,
  ethNode,
  FUSES,
  latestTime,
  nodeBelow,
  registerReferred,
  registerWrapped,
  setWrappedSubnodeOwner,
  warpTo,
  YEAR,
} from "../../devnet/acts.ts";
import type { LocalChain } from "../../devnet/localChain.ts";
import type { Stack } from "../support/stack.ts";
import { askTogether } from "./chainReads.ts";
import { everyOne, openJudge } from "./judge.ts";
import { pathOf } from "./ledger.ts";
import { listNamesNow, type NameNow } from "./namesNow.ts";
import { contractOf, orNone, plain, type Row, type Verdict } from "./oracle.ts";

const reads = parseAbi([
  "function ownerOf(uint256 tokenId) view returns (address)",
  "function available(uint256 id) view returns (bool)",
  "function getData(uint256 id) view returns (address owner, uint32 fuses, uint64 expiry)",
]);

const PREMIUM_END = 111n * DAY;
const NAMES_OF_A_KIND = 2;

/** Seconds after the expiry of a .eth name, and of a wrapped subname, at which the contracts are asked. */
const secondsOfEth = [-1n, 0n, 90n * DAY, 90n * DAY + 1n, PREMIUM_END - 1n, PREMIUM_END];
const secondsOfSubname = [-1n, 0n, 1n, 90n * DAY];

type Indexed = Pick<Stack, "api" | "waitForHead" | "sql">;

/**
 * Advances the chain's time to each second at which a name enters a stage, and compares the answers at that second with the
 * contracts': names of every kind, wrapped subnames with PARENT_CANNOT_CONTROL and without.
 */
export async function judgeStages(stack: Indexed, local: LocalChain): Promise<Verdict> {
  await makeNames(local);
  await stack.waitForHead();
  const trial = { rpcUrl: local.anvil.url, deployment: local.deployment, api: stack.api };
  const { judge, verdict } = await openJudge(trial);
  const names = chosen([...listNamesNow(judge).values()], judge.now);
  const moments = new Set(
    names.flatMap(({ expiry, isSecondLevel }) =>
      (isSecondLevel ? secondsOfEth : secondsOfSubname).map((after) => (expiry ?? 0n) + after),
    ),
  );
  const now = await latestTime(local.chain);
  for (const time of [...moments].filter((one) => one > now).sort((a, b) => Number(a - b))) {
    await warpTo(local.chain, { timestamp: time });
    await stack.waitForHead();
    const told = await askContracts(local, names, judge.wrapper);
    await everyOne([...names.entries()], async ([i, name]) => {
      const path = pathOf(name.node, judge.ledgers);
      const { availability_status, ownership } = await judge.get(`/whois/${path}`);
      const { owner, is_owner_current } = ownership as Row;
      const answered = { state: availability_status, owner: plain(owner), isCurrent: is_owner_current };
      judge.same(
        `${path} at ${time}`,
        answered,
        toExpected(name, { ...told[i], time, wrapper: judge.wrapper }),
      );
    });
  }
  const lasting = names.filter(({ hasEnd }) => !hasEnd).map(({ node }) => node);
  const announced = await stack.sql(
    "select type from feed_changes where source = 'time' and node = any($1)",
    [lasting],
  );
  judge.same("ends that the feed announces of names without one", announced, []);
  return { differences: verdict.differences, counts: { namesAtSeconds: verdict.counts.answers ?? 0 } };
}

/** Names of each kind, whatever the histories left, at a time that no clock has reached. */
async function makeNames({ chain }: LocalChain): Promise<void> {
  const [, from] = chain.accounts as [Address, Address];
  const clock = BigInt(Math.floor(Date.now() / 1_000)) + DAY;
  const head = await latestTime(chain);
  await warpTo(chain, { timestamp: (head > clock ? head : clock) + 1n });
  await registerReferred(chain, { from, label: "stage-plain", duration: YEAR });
  await registerWrapped(chain, { from, label: "stage-boxed", duration: YEAR, fuses: FUSES.CANNOT_UNWRAP });
  const parent = ethNode("stage-boxed");
  const expiry = (await latestTime(chain)) + 20n * DAY;
  const child = { from, parent, owner: from, expiry };
  await setWrappedSubnodeOwner(chain, { ...child, label: "lasting", fuses: 0 });
  await setWrappedSubnodeOwner(chain, { ...child, label: "ending", fuses: FUSES.PARENT_CANNOT_CONTROL });
}

const ours = new Set<Hex>([
  ...["stage-plain", "stage-boxed"].map(ethNode),
  ...["lasting", "ending"].map((label) => nodeBelow(ethNode("stage-boxed"), label)),
]);

/** Names of each kind that enter a stage in the next years. */
function chosen(names: readonly NameNow[], now: bigint): NameNow[] {
  const coming = names
    .filter(({ expiry }) => expiry !== null && expiry > now - PREMIUM_END && expiry < now + 20n * YEAR)
    .sort((a, b) => Number(ours.has(b.node)) - Number(ours.has(a.node)));
  const kinds = Map.groupBy(coming, (one) => `${one.isSecondLevel} ${one.isWrapped} ${one.hasEnd}`);
  return [...kinds.values()].flatMap((some) => some.slice(0, NAMES_OF_A_KIND));
}

type Told = { registrant: string | null; isAvailable: boolean | null; tokenOwner: string | null };

async function askContracts(
  { anvil, deployment }: LocalChain,
  names: readonly NameNow[],
  wrapper: Hex | undefined,
): Promise<Told[]> {
  const registrar = contractOf({ deployment }, "registrar", 2)?.address;
  const answers = await askTogether(
    { rpcUrl: anvil.url, deployment },
    names.flatMap(({ node, labelhash, isSecondLevel }) => {
      const token = isSecondLevel && labelhash !== null ? hexToBigInt(labelhash) : null;
      const ask = (to: Hex | undefined, functionName: string, id: bigint | null) =>
        to === undefined || id === null ? null : { to, abi: reads, functionName, args: [id] };
      return [
        ask(registrar, "ownerOf", token),
        ask(registrar, "available", token),
        ask(wrapper, "getData", hexToBigInt(node)),
      ];
    }),
  );
  return names.map((_, i) => {
    const [registrant, isAvailable, token] = answers.slice(i * 3, i * 3 + 3);
    return {
      registrant: orNone(registrant as string | null),
      isAvailable: isAvailable as boolean | null,
      tokenOwner: orNone((token as [Hex] | null)?.[0]),
    };
  });
}

type Asked = Partial<Told> & { time: bigint; wrapper: Hex | undefined };

function toExpected(name: NameNow, { registrant, isAvailable, tokenOwner = null, time, wrapper }: Asked) {
  const hasToken = tokenOwner !== null;
  if (!name.isSecondLevel)
    return { state: hasToken ? "registered" : "unknown", owner: tokenOwner ?? wrapper, isCurrent: hasToken };
  const inPremium = time < (name.expiry ?? 0n) + PREMIUM_END ? "premium" : "available";
  const state = registrant ? "registered" : isAvailable ? inPremium : "grace";
  const isLapsed = name.isWrapped && !hasToken;
  const owner = isLapsed ? wrapper : name.isWrapped ? tokenOwner : name.owner;
  return { state, owner, isCurrent: !isAvailable && !isLapsed };
}
