import type { ensv2Purchase } from "ponder:schema";
import type { Address, Hex } from "viem";
import { mainChain, type Scope } from "../../src/api/names/query/scope.ts";
import { contracts, ETH_REGISTRY, GRAVEYARD, REGISTRAR, USDC } from "./ensv2.ts";
import { CHAIN_ID, type DomainRow, registeredRow, transaction } from "./rows.ts";

/* Rows of lists and counts in a deployment with ENSv2. */

/** The main chain only. */
export const MAIN: Scope = mainChain(contracts);

/** The deployment's times, in seconds. */
export const GRACE = 28 * 86_400;
export const PREMIUM = 21 * 86_400;
/** The expiry of a graveyard's registration in ENSv1. */
export const RETIRED_EXPIRY = 2n ** 64n - 1n - 90n * 86_400n;

/** An ENSv2 .eth name. */
export const ensv2Row = (name: string, holder: Address, expiry: bigint, fields: Partial<DomainRow> = {}) =>
  registeredRow(name, holder, expiry, {
    registryOwner: null,
    registrarOwner: null,
    registrarExpiryTimestamp: null,
    registry: ETH_REGISTRY,
    ...fields,
  });

/** A name kept by a graveyard in ENSv1. */
export const retiredRow = (name: string, fields: Partial<DomainRow> = {}) =>
  registeredRow(name, GRAVEYARD, RETIRED_EXPIRY, fields);

/** Where a registry keeps a label. */
export const storageIdOf = (labelhash: Hex): Hex => `${labelhash.slice(0, 58)}00000000` as Hex;

export type PurchaseRow = typeof ensv2Purchase.$inferInsert;

/**
 * A registration at the ENSv2 registrar unless `fields` say otherwise. `at` is its place on the
 * chain.
 */
export const purchaseRow = (
  at: { block: number; log?: number },
  fields: Partial<PurchaseRow> & Pick<PurchaseRow, "node">,
): PurchaseRow => ({
  chainId: CHAIN_ID,
  blockNumber: at.block,
  logIndex: at.log ?? 0,
  eventType: "NameRegistered",
  contractAddress: REGISTRAR,
  paymentToken: USDC,
  amount: 5_000_000n,
  durationSeconds: 31_536_000n,
  transactionHash: transaction(at.block),
  blockTimestamp: 1_600_000_000 + at.block * 12,
  ...fields,
});
