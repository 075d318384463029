import type { z } from "zod";
import { ETHEREUM_COIN_TYPE } from "../../../ens/coinType.ts";
import type { EventName } from "../query/eventLists.ts";
import type { EventRow } from "../query/eventRows.ts";
import type { ListedEvent } from "../query/eventStatements.ts";
import { type EventType, MIGRATING, typeOf } from "../rules/eventTypes.ts";
import type * as schemas from "../schemas/answers.ts";
import { cutBytes, cutText, readEscaped, truncatedOf } from "./cut.ts";
import { toAddress, toAddressRecord, toDecimal } from "./hex.ts";
import type { SerializeContext } from "./toDomain.ts";
import { toPayment } from "./toPayment.ts";
import { roleNames } from "./toRoles.ts";

export type EventRecord = z.infer<typeof schemas.event>;

/** What is known of an event besides its row. */
type About = { name?: EventName | undefined };

/** An event of the specification's section 2.4. Fields that do not apply to it are absent. */
export function toEventRecord(
  row: EventRow & Partial<Pick<ListedEvent, "isForeign">>,
  { contracts }: SerializeContext,
  { name: about }: About = {},
): EventRecord {
  const key = shownText(row.key, row.hiddenKey);
  const value = shownText(row.value, row.hiddenValue);
  const name = shownText(row.name, row.hiddenName);
  const contenthash = row.contenthash && cutBytes(row.contenthash);
  const address = row.address && cutBytes(row.address);
  const ownerAddress = row.ownerAddress ?? row.givenBy;
  return present({
    id: [row.chainId, row.blockNumber, row.logIndex, row.ordinal].join("-"),
    type: typeOfEvent(row, contracts),
    contract: contracts.contractLabel({
      family: row.contract,
      chainId: row.chainId,
      address: row.contractAddress,
    }),
    contract_address: toAddress(row.contractAddress),
    event_type: row.eventType,
    block_number: row.blockNumber,
    block_timestamp: row.blockTimestamp,
    transaction_hash: row.transactionHash,
    log_index: row.logIndex,
    chain: contracts.chainName(row.chainId),
    ...nameFields(row, about),
    from_address: row.fromAddress && toAddress(row.fromAddress),
    to_address: row.toAddress && toAddress(row.toAddress),
    owner_address: ownerAddress && toAddress(ownerAddress),
    new_owner_address: row.newOwnerAddress && toAddress(row.newOwnerAddress),
    resolver_address: row.resolverAddress && toAddress(row.resolverAddress),
    ...detailFields(row),
    token_id: row.tokenId ?? tokenIdOf(row, about),
    cost_wei: row.costWei?.toString(),
    base_cost_wei: row.baseCostWei?.toString(),
    premium_wei: row.premiumWei?.toString(),
    payment: toPayment(row, contracts),
    referrer: row.referrer,
    expiry_timestamp: row.expiryTimestamp?.toString(),
    fuses: row.fuses,
    coin_type: row.coinType?.toString(),
    address: address && toAddressRecord(address.shown, row.coinType ?? ETHEREUM_COIN_TYPE),
    key: key?.shown,
    value: value?.shown,
    contenthash: contenthash?.shown,
    name: name?.shown,
    agent_id: row.agentId,
    is_foreign: row.isForeign === true || undefined,
    ...truncatedOf({ key, value, contenthash, name, address }),
  });
}

/** The type of an event. A registration by a contract that migrates names is a migration. */
function typeOfEvent(row: EventRow, { ensv2 }: SerializeContext["contracts"]): EventType | undefined {
  const isMigrating =
    row.eventType === MIGRATING &&
    row.sender !== null &&
    (row.sender === row.contractAddress || ensv2?.migrationControllers.has(row.sender));
  return isMigrating ? "migration" : typeOf({ family: row.contract, eventType: row.eventType });
}

/** An ENSv2 record has a number in place of a name's node. */
const isOfRecord = ({ contract, eventType }: EventRow): boolean =>
  contract === "ENSV2_RESOLVER" && eventType !== "Linked";

const nameFields = (row: EventRow, about: EventName | undefined) =>
  isOfRecord(row)
    ? { record_number: row.node && toDecimal(row.node) }
    : { domain: about?.fullName, namehash: row.node, record_number: row.recordId };

/** The account that moved a token or was approved. An owner who moves a wrapper token is stored only as `fromAddress`. */
function operatorOf({ contract, eventType, fromAddress, operator }: EventRow) {
  const isMove = contract === "NAME_WRAPPER" && eventType.startsWith("Transfer");
  const address = operator ?? (isMove ? fromAddress : null);
  return address && toAddress(address);
}

/** The fields of `details`. */
const detailFields = (row: EventRow) => ({
  operator_address: operatorOf(row),
  sender_address: row.sender && toAddress(row.sender),
  account_address: row.account && toAddress(row.account),
  is_approved: row.isApproved === null ? undefined : row.isApproved === "true",
  old_token_id: row.oldTokenId,
  resource: row.resource,
  roles: row.roles === null ? undefined : roleNames(BigInt(row.roles)),
  old_roles: row.oldRoles === null ? undefined : roleNames(BigInt(row.oldRoles)),
  subregistry_address: row.subregistry && toAddress(row.subregistry),
  parent_address: row.parent && toAddress(row.parent),
  ttl: row.ttl,
});

/** ENSv1 token IDs follow from the name: the registrar's from its labelhash, the wrapper's from its node. */
function tokenIdOf(row: EventRow, about: EventName | undefined): string | undefined {
  if (row.node === null) return undefined;
  if (row.contract === "NAME_WRAPPER") return toDecimal(row.node);
  const isRegistrars = row.contract === "REGISTRAR" || row.contract === "REGISTRAR_OLD";
  return isRegistrars && about?.labelhash ? toDecimal(about.labelhash) : undefined;
}

type Optional<T> = {
  [K in keyof T as null extends T[K] ? K : undefined extends T[K] ? K : never]?: NonNullable<T[K]>;
};
type Required<T> = { [K in keyof T as null extends T[K] ? never : undefined extends T[K] ? never : K]: T[K] };

/** Leaves out null and undefined fields. */
function present<T extends Record<string, unknown>>(fields: T): Required<T> & Optional<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as Required<T> & Optional<T>;
}

/** A text as a list shows it. A text with NUL, which PostgreSQL cannot store, is read from its JSON form. */
export function shownText(
  beginning: string | null,
  escaped: string | null,
): ReturnType<typeof cutText> | null {
  const text = beginning ?? (escaped === null ? null : readEscaped(escaped));
  return text === null ? null : cutText(text);
}
