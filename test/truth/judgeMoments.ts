import { type Hex, parseAbi } from "viem";
import { ETH_NODE } from "../../devnet/acts/names.ts";
import { DAY } from "../../devnet/acts.ts";
import type { Judge } from "./judge.ts";
import { type Ledger, type Owners, ownerOf } from "./ledger.ts";
import { contractOf, orNone, plain, type Row } from "./oracle.ts";
import { askPast, type PastQuestion } from "./pastReads.ts";

/** A name with its answered history of owners, in total and in each contract. */
export type Answered = { node: Hex; path: string; ledger: Ledger; answer: Row };

const GRACE = 90n * DAY;
const layers = ["registry", "registrar", "wrapper"] as const;

const reads = parseAbi([
  "function owner(bytes32 node) view returns (address)",
  "function ownerOf(uint256 tokenId) view returns (address)",
  "function nameExpires(uint256 id) view returns (uint256)",
  "function getData(uint256 id) view returns (address owner, uint32 fuses, uint64 expiry)",
]);

/** A second of a name's life, and the state by the logs before it. */
type Moment = Answered & { time: bigint; block: bigint; owners: Owners };

type Replies = [owner: Hex | null, registrant: Hex | null, expiry: bigint | null, token: [Hex] | null];
const READS = 4;

/**
 * Histories of owners, compared with the contracts' own answers: at every second at which a state of a name began or ended, by a
 * log or by time alone, and one second to each side.
 */
export async function judgeMoments(judge: Judge, names: readonly Answered[]): Promise<void> {
  const moments = names.flatMap((name) => momentsOf(judge, name));
  const questions = moments.map((moment) => questionsOf(judge, moment));
  const asked = questions.flat().filter((question) => question !== null);
  const answers = await askPast(judge.rpcUrl, asked);
  for (const [i, moment] of moments.entries()) {
    const replies = (questions[i] ?? []).map((question) => question && answers.get(question));
    if (replies.length === READS) judgeMoment(judge, moment, replies as Replies);
  }
  for (const name of names) judgePeriods(judge, name);
}

function momentsOf({ now }: Judge, name: Answered): Moment[] {
  const { ledger } = name;
  const moved = new Set(ledger.logs.filter(isOfOwners).map(({ transactionHash }) => transactionHash));
  const changes = ledger.owners.filter(({ log }) => moved.has(log.transactionHash));
  const bounds = [...boundsOf(name)];
  return changes.flatMap(({ state: owners, log }, i) => {
    const [start, block] = [BigInt(log.blockTimestamp), BigInt(log.blockNumber)];
    const following = changes[i + 1]?.log.blockTimestamp;
    const end = following === undefined ? now + 1n : BigInt(following);
    const beside = bounds.flatMap((bound) => [bound - 1n, bound, bound + 1n]);
    const times = new Set(
      [start, start + 1n, end - 1n, ...beside].filter((time) => time >= start && time < end),
    );
    return [...times].map((time) => ({ ...name, time, block, owners }));
  });
}

const isOfOwners = ({ role }: Ledger["logs"][number]): boolean =>
  ["registry", "registrar", "controller", "wrapper"].includes(role);

/** Seconds at which time may end a state, by the logs and by the answers. */
function boundsOf({ ledger, answer }: Answered): Set<bigint> {
  const told = ledger.logs.flatMap(({ args }) =>
    [args.expires, args.expiry].flatMap((end) => (typeof end === "bigint" ? [end, end + GRACE] : [])),
  );
  const answered = (["history", ...layers] as const)
    .flatMap((list) => periodsOf(answer, list))
    .flatMap(({ from_timestamp, to_timestamp }) => [from_timestamp, to_timestamp])
    .flatMap((time) => (typeof time === "number" ? [BigInt(time)] : []));
  return new Set([...told, ...answered]);
}

const periodsOf = (answer: Row, list: string): Row[] => (answer[list] ?? []) as Row[];

function questionsOf(judge: Judge, { node, ledger, block, time }: Moment): (PastQuestion | null)[] {
  const { position } = ledger;
  const isSecondLevel = position?.parent === ETH_NODE;
  const registrar = isSecondLevel ? contractOf(judge, "registrar", 2)?.address : undefined;
  const ask = (to: Hex | undefined, functionName: string, arg: unknown) =>
    to === undefined ? null : { to, abi: reads, functionName, args: [arg], moment: { block, time } };
  const token = position === null ? 0n : BigInt(position.labelhash);
  return [
    ask(contractOf(judge, "registry", 2)?.address, "owner", node),
    ask(registrar, "ownerOf", token),
    ask(registrar, "nameExpires", token),
    ask(judge.wrapper, "getData", BigInt(node)),
  ];
}

function judgeMoment({ same, wrapper }: Judge, moment: Moment, replies: Replies): void {
  const { path, ledger, answer, time, block, owners } = moment;
  const [owner, registrant, expiry, token] = replies;
  const what = `of ${path} at ${time}, block ${block}`;
  const isOver = !!expiry && time > expiry + GRACE;
  const state: Owners = {
    registry: orNone(owner) as Hex | null,
    // `ownerOf` returns no owner from the expiry on; until grace is over, the last holder may renew.
    registrar: (orNone(registrant) as Hex | null) ?? owners.registrar,
    wrapper: orNone(token?.[0]) as Hex | null,
  };
  same(`registrant ${what}`, state.registrar, owners.registrar);
  const effective = isOver ? null : ownerOf(state, ledger, wrapper);
  same(`owner ${what}`, at(answer, "history", time), effective && `${effective.owner} ${effective.reason}`);
  const expected = { ...state, registrar: isOver ? null : state.registrar };
  for (const layer of layers) same(`${layer} owner ${what}`, at(answer, layer, time), expected[layer]);
}

/** The owner of a name at a second, by the periods of an answer. */
function at(answer: Row, list: string, time: bigint): string | null {
  const now = periodsOf(answer, list).filter(
    ({ from_timestamp, to_timestamp }) =>
      Number(from_timestamp) <= time && (to_timestamp === null || time < Number(to_timestamp)),
  );
  if (now.length > 1) return `${now.length} periods`;
  const [period] = now;
  if (period === undefined) return null;
  return list === "history" ? `${plain(period.address)} ${period.reason}` : plain(period.address);
}

/** Each end of a period must be a transaction of its second, or an end by time, and no two consecutive periods may be one. */
function judgePeriods({ same }: Judge, { path, ledger, answer }: Answered): void {
  const places = new Map(ledger.logs.map((log) => [log.transactionHash as unknown, log]));
  for (const list of ["history", ...layers]) {
    let before: Row | undefined;
    for (const period of periodsOf(answer, list)) {
      const what = `${list} of ${path} from ${period.from_timestamp}`;
      const ends = [
        [period.from_tx, period.from_block, period.from_timestamp],
        [period.to_tx, period.to_block, period.to_timestamp],
      ];
      for (const [hash, block, time] of ends) {
        const log = places.get(hash);
        const place = log === undefined ? [null, null] : [log.blockNumber, log.blockTimestamp];
        if (hash !== null) same(`place in ${what}`, [block, time], place);
        else same(`block in ${what}`, block, null);
      }
      const isByTime = period.to_tx === null && period.to_timestamp !== null;
      same(`end of ${what}`, period.ended_by !== undefined, isByTime);
      const isBegunByTime = before?.to_timestamp === period.from_timestamp && before?.ended_by !== undefined;
      same(`begin of ${what}`, period.from_tx === null, isBegunByTime);
      const isOne =
        before?.to_timestamp === period.from_timestamp &&
        before?.address === period.address &&
        before?.reason === period.reason;
      same(`periods that are one, ${what}`, isOne, false);
      before = period;
    }
  }
}
