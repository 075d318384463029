import type { Address, Hex, TransactionReceipt } from "viem";
import { parseEther } from "viem";
import type { Chain } from "./chain.ts";
import { addressOf, latestTime, read, send, setNextTime } from "./chain.ts";
import type { Label } from "./names.ts";
import { hashLabel, ROOT_NODE, secretOf, tokenIdOf } from "./names.ts";
import { setSubnodeOwner } from "./registry.ts";

/** An auction runs five days; bids are revealed in the last two. */
const BIDDING_SECONDS = 3n * 86_400n + 60n;
const REVEAL_SECONDS = 2n * 86_400n + 60n;

/** One bid: `value` wins or loses, `deposit` is what the log of the sealed bid shows. */
export type Bid = { from: Address; value?: bigint; deposit?: bigint };

/** `startAuction`: opens a label's auction by its hash. */
async function startAuction(
  chain: Chain,
  { from, label }: { from: Address; label: Label },
): Promise<TransactionReceipt> {
  return send(chain, {
    from,
    contract: "auctionRegistrar",
    functionName: "startAuction",
    args: [hashLabel(label)],
  });
}

/**
 * A whole auction of 2017: start, sealed bids, their reveal and the end. The highest bidder gets the name in
 * the old registry. The receipts stand in this order; the last is `finalizeAuction`.
 */
export async function auctionName(
  chain: Chain,
  { label, bids }: { label: Label; bids: readonly [Bid, ...Bid[]] },
): Promise<TransactionReceipt[]> {
  const hash = hashLabel(label);
  const receipts = [await startAuction(chain, { from: bids[0].from, label })];
  const secret = secretOf(label, await latestTime(chain));
  for (const bid of bids) receipts.push(await placeBid(chain, { hash, secret, bid }));
  await setNextTime(chain, (await latestTime(chain)) + BIDDING_SECONDS);
  for (const { from, value = parseEther("0.01") } of bids) {
    const args = [hash, value, secret];
    receipts.push(await send(chain, { from, contract: "auctionRegistrar", functionName: "unsealBid", args }));
  }
  await setNextTime(chain, (await latestTime(chain)) + REVEAL_SECONDS);
  receipts.push(await finalizeAuction(chain, { from: winnerOf(bids), label }));
  return receipts;
}

function winnerOf(bids: readonly [Bid, ...Bid[]]): Address {
  const byValue = (bid: Bid) => bid.value ?? parseEther("0.01");
  return bids.reduce((best, bid) => (byValue(bid) > byValue(best) ? bid : best)).from;
}

async function placeBid(
  chain: Chain,
  { hash, secret, bid }: { hash: Hex; secret: Hex; bid: Bid },
): Promise<TransactionReceipt> {
  const { from, value = parseEther("0.01"), deposit = value } = bid;
  const sealed = await read<Hex>(chain, {
    contract: "auctionRegistrar",
    functionName: "shaBid",
    args: [hash, from, value, secret],
  });
  const call = { from, contract: "auctionRegistrar", functionName: "newBid", args: [sealed] };
  return send(chain, { ...call, value: deposit });
}

/** `finalizeAuction`: the winner takes the name. */
async function finalizeAuction(
  chain: Chain,
  { from, label }: { from: Address; label: Label },
): Promise<TransactionReceipt> {
  const args = [hashLabel(label)];
  return send(chain, { from, contract: "auctionRegistrar", functionName: "finalizeAuction", args });
}

/** `transfer` of the auction registrar: another owner of the deed and of the node. */
export async function transferDeed(
  chain: Chain,
  { from, label, to }: { from: Address; label: Label; to: Address },
): Promise<TransactionReceipt> {
  const args = [hashLabel(label), to];
  return send(chain, { from, contract: "auctionRegistrar", functionName: "transfer", args });
}

/** `releaseDeed`: the owner gives the name up for the deposit, a year after the auction at the earliest. */
export async function releaseDeed(
  chain: Chain,
  { from, label }: { from: Address; label: Label },
): Promise<TransactionReceipt> {
  const args = [hashLabel(label)];
  return send(chain, { from, contract: "auctionRegistrar", functionName: "releaseDeed", args });
}

/**
 * Makes another contract the owner of `eth` in the old registry: the registrar of 2019, as in May 2019, or the
 * migration contract, as in February 2020. By the owner of the old registry's root only.
 */
export async function useOldRegistrar(
  chain: Chain,
  {
    from,
    registrar,
  }: { from: Address; registrar: "auctionRegistrar" | "oldRegistrar" | "registrarMigration" },
): Promise<TransactionReceipt> {
  const owner = addressOf(chain, registrar);
  return setSubnodeOwner(chain, { from, registry: "oldRegistry", parent: ROOT_NODE, label: "eth", owner });
}

/** `transferRegistrars`: the deed's owner moves an auctioned name into the registrar of 2019. */
export async function transferRegistrars(
  chain: Chain,
  { from, label }: { from: Address; label: Label },
): Promise<TransactionReceipt> {
  const args = [hashLabel(label)];
  return send(chain, { from, contract: "auctionRegistrar", functionName: "transferRegistrars", args });
}

/**
 * `migrate`: anyone moves a name of the registrar of 2019 into that of 2020, with its owner and expiry. Only while
 * the migration contract owns `eth` in the old registry ({@link useOldRegistrar}).
 */
export async function migrateRegistration(
  chain: Chain,
  { from, label }: { from: Address; label: Label },
): Promise<TransactionReceipt> {
  const args = [tokenIdOf(label)];
  return send(chain, { from, contract: "registrarMigration", functionName: "migrate", args });
}
