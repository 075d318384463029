import type { Address } from "viem";
import { LiveFailure } from "../failure.ts";
import type { ContractReach } from "../multicall.ts";
import { clockReads, ensv2SellerReads, sellerReads } from "./priceAbi.ts";
import { asAddress, asFlag, asNumber, type Read, readOf, readTogether } from "./reads.ts";
import type { Controller, Sellers } from "./sellers.ts";

/** A contract that sells names at a block, and its oracle. */
export type Selling = { contract: Address; oracle: Address };

/** The contracts that sell names at a block, or null. */
export type SellingAt = { controller: Selling | null; registrar: Selling | null; renewer: Selling | null };

type Answers = Readonly<Record<string, bigint | Address | boolean | null>>;

/** The contracts that sell at a block, their oracles, and the time of the block, in one call. @throws LiveFailure */
export async function readSelling(
  reach: ContractReach,
  { sellers, blockNumber }: { sellers: Sellers; blockNumber: number },
): Promise<{ timestamp: bigint; selling: SellingAt }> {
  const clock = { target: reach.multicall3, abi: clockReads, name: "getCurrentBlockTimestamp" };
  const reads = {
    timestamp: readOf(clock, asNumber),
    ...readsOfControllers(sellers),
    ...readsOfEnsv2(sellers),
  };
  const answers: Answers = await readTogether(reach, { reads, blockNumber });
  if (typeof answers.timestamp !== "bigint") {
    throw new LiveFailure("rpc", "Prices could not be read: Multicall3 did not say the time of the block.");
  }
  return {
    timestamp: answers.timestamp,
    selling: { controller: newestController(sellers, answers), ...sellingInEnsv2(sellers, answers) },
  };
}

type Reads = Record<string, Read<bigint | Address | boolean>>;

/** Whether a controller is authorised, whether the NameWrapper in between is, and which oracle it uses. */
function readsOfControllers({ registrar, controllers }: Sellers): Reads {
  const entries = controllers.flatMap(({ address, wrapper }, i): [string, Reads[string]][] => [
    [`isLetIn${i}`, isLetIn(wrapper ?? registrar, address)],
    [`isWrapperIn${i}`, isLetIn(registrar, wrapper ?? address)],
    [`oracle${i}`, readOf({ target: address, abi: sellerReads, name: "prices" }, asAddress)],
  ]);
  return Object.fromEntries(entries);
}

const isLetIn = (by: Address, address: Address): Read<boolean> =>
  readOf({ target: by, abi: sellerReads, name: "controllers", args: [address] }, asFlag);

function newestController({ controllers }: Sellers, answers: Answers): Selling | null {
  const selling = controllers.flatMap(({ address }: Controller, i): Selling[] => {
    const oracle = answers[`oracle${i}`];
    const isIn = answers[`isLetIn${i}`] === true && answers[`isWrapperIn${i}`] === true;
    return isIn && typeof oracle === "string" ? [{ contract: address, oracle }] : [];
  });
  return selling.at(-1) ?? null;
}

function readsOfEnsv2({ registrar, ensv2 }: Sellers): Reads {
  const [newest, renewer] = newestInEnsv2(ensv2);
  const oracleOf = (target: Address) =>
    readOf({ target, abi: ensv2SellerReads, name: "rentPriceOracle" }, asAddress);
  return {
    ...(newest && { registrar: oracleOf(newest) }),
    ...(renewer && { renewer: oracleOf(renewer), isRenewing: isLetIn(registrar, renewer) }),
  };
}

/** Renewals move to the renewer as soon as the ENSv1 registrar authorises it. */
function sellingInEnsv2({ ensv2 }: Sellers, answers: Answers): Pick<SellingAt, "registrar" | "renewer"> {
  const [newest, renewer] = newestInEnsv2(ensv2);
  const selling = (contract: Address | undefined, oracle: Answers[string] | undefined): Selling | null =>
    contract !== undefined && typeof oracle === "string" ? { contract, oracle } : null;
  return {
    registrar: selling(newest, answers.registrar),
    renewer: answers.isRenewing === true ? selling(renewer, answers.renewer) : null,
  };
}

const newestInEnsv2 = (ensv2: Sellers["ensv2"]) =>
  [ensv2?.registrars.at(-1), ensv2?.renewers.at(-1)] as const;
