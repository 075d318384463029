import fc from "fast-check";
import { keccak256, namehash, stringToBytes } from "viem";
import { account, transaction } from "../query/rows.ts";
import type { Chain, Write } from "./engine.ts";

/** What strangers do on a chain, as the handlers write it. */
export type Act = (at: { chainId: number; block: number; log: number; time: number }) => Write[];

const names = ["alice.eth", "bob.eth", "carol.eth", "pay.alice.eth"];
const owner = fc.integer({ min: 1, max: 4 }).map((n) => account(n));
const name = fc.constantFrom(...names);
const resolver = fc.constantFrom(account(0xe5), account(0xe6));
const DAY = 86_400;

const domainKey = (chainId: number, of: string) => ({ chain_id: chainId, node: namehash(of) });

const newDomain = (of: string, block: number, time: number) => ({
  label: of.split(".")[0],
  is_label_known: true,
  full_name: of,
  is_name_known: true,
  is_migrated: true,
  parent_node: namehash(of.split(".").slice(1).join(".")),
  is_wrapped: false,
  created_block_number: block,
  created_timestamp: time,
});

let ordinals = 0;

const logOf = (
  { chainId, block, log, time }: Parameters<Act>[0],
  fields: { node: string; eventType: string; contractAddress?: string },
): Write => ({
  table: "events",
  key: { chain_id: chainId, block_number: block, log_index: log, ordinal: ordinals++ },
  patch: {
    block_timestamp: time,
    transaction_hash: transaction(block * 1_000 + log),
    contract: "REGISTRY",
    contract_address: fields.contractAddress ?? account(0xe1),
    event_type: fields.eventType,
    node: fields.node,
  },
});

const change =
  (of: string, eventType: string, patch: Record<string, unknown>): Act =>
  (at) => [
    {
      table: "domains",
      key: domainKey(at.chainId, of),
      patch: { ...newDomain(of, at.block, at.time), ...patch },
    },
    logOf(at, { node: namehash(of), eventType }),
  ];

/** Anything that one log can write. */
export const anyAct: fc.Arbitrary<Act> = fc.oneof(
  fc
    .tuple(name, owner)
    .map(([of, who]) => change(of, "Transfer", { registry_owner: who, effective_owner_address: who })),
  fc.tuple(name, resolver).map(([of, at]) => change(of, "NewResolver", { resolver: at })),
  fc.tuple(name, fc.integer({ min: -2, max: 200 })).map(
    ([of, days]): Act =>
      (at) =>
        change(of, "NameRenewed", {
          expiry_timestamp: at.time + days * DAY,
          registrar_expiry_timestamp: at.time + days * DAY,
        })(at),
  ),
  // A name's text changes without a log of its own, because its label became known.
  fc.tuple(name, fc.boolean()).map(
    ([of, isKnown]): Act =>
      (at) => [
        {
          table: "domains",
          key: domainKey(at.chainId, of),
          patch: {
            ...newDomain(of, at.block, at.time),
            full_name: isKnown ? of : `[${namehash(of).slice(2)}].eth`,
          },
        },
      ],
  ),
  fc
    .tuple(name, resolver, fc.constantFrom("url", "avatar"), fc.constantFrom("a", "b", "x".repeat(2_000)))
    .map(
      ([of, at, key, value]): Act =>
        (place) => [
          {
            table: "text_records",
            key: {
              chain_id: place.chainId,
              resolver: at,
              node: namehash(of),
              version: 0,
              key_hash: keccak256(stringToBytes(key)),
            },
            patch: {
              key,
              value,
              is_value_known: true,
              block_number: place.block,
              log_index: place.log,
              is_read: false,
              transaction_hash: transaction(place.block * 1_000 + place.log),
              sets_in_transaction: 1,
            },
          },
          logOf(place, { node: namehash(of), eventType: "TextChanged", contractAddress: at }),
        ],
    ),
  fc.tuple(name, resolver, owner, fc.constantFrom(60, 2147483658)).map(
    ([of, at, address, coinType]): Act =>
      (place) => [
        {
          table: "address_records",
          key: { chain_id: place.chainId, resolver: at, node: namehash(of), version: 0, coin_type: coinType },
          patch: {
            address,
            block_number: place.block,
            transaction_hash: transaction(place.block * 1_000 + place.log),
          },
        },
        logOf(place, { node: namehash(of), eventType: "AddressChanged", contractAddress: at }),
      ],
  ),
  fc.tuple(name, resolver, fc.integer({ min: 0, max: 3 })).map(
    ([of, at, version]): Act =>
      (place) => [
        {
          table: "resolver_nodes",
          key: { chain_id: place.chainId, resolver: at, node: namehash(of) },
          patch: { version, block_number: place.block, contenthash: version % 2 ? "0xe301" : null },
        },
        logOf(place, { node: namehash(of), eventType: "VersionChanged", contractAddress: at }),
      ],
  ),
  fc.tuple(owner, name).map(
    ([address, of]): Act =>
      (place) => [
        {
          table: "primary_names",
          key: { address, coin_type: place.chainId },
          patch: {
            name: of,
            is_name_known: true,
            registrar: "REVERSE_REGISTRAR",
            chain_id: place.chainId,
            block_number: place.block,
            transaction_hash: transaction(place.block * 1_000 + place.log),
          },
        },
      ],
  ),
  fc.constantFrom("alice", "bob").map(
    (label): Act =>
      ({ chainId }) => [
        {
          table: "labels",
          key: { chain_id: chainId, labelhash: keccak256(stringToBytes(label)) },
          patch: { label },
        },
      ],
  ),
  fc.tuple(owner, fc.integer({ min: 1, max: 3 })).map(
    ([by, agentId]): Act =>
      (place) => [
        {
          table: "agent_bindings",
          key: { chain_id: place.chainId, adapter: account(0xed), agent_id: agentId },
          patch: {
            token_standard: 0,
            token_contract: account(0xe2),
            token_id: 5,
            registered_by: by,
            block_number: place.block,
            log_index: place.log,
            block_timestamp: place.time,
            transaction_hash: transaction(place.block * 1_000 + place.log),
          },
        },
      ],
  ),
);

/** Creates a name's row, or sets these columns. */
export const domainWrite = (chain: Chain, name: string, patch: Record<string, unknown>): Write => ({
  table: "domains",
  key: { chain_id: chain.chainId, node: namehash(name) },
  patch: {
    label: name.split(".")[0],
    is_label_known: true,
    full_name: name,
    is_name_known: true,
    is_wrapped: false,
    parent_node: namehash(name.split(".").slice(1).join(".")),
    is_migrated: true,
    label_length: 5,
    created_block_number: 1,
    created_timestamp: 1,
    ...patch,
  },
});

/** A text record of a node that no name has, 2 KB including its key. */
export const textWrite = ({ chainId, node }: Chain, i: number): Write => ({
  table: "text_records",
  key: {
    chain_id: chainId,
    resolver: account(5),
    node: transaction(i),
    version: 0,
    key_hash: transaction(i),
  },
  patch: {
    key: "k".repeat(1_000),
    value: "v".repeat(1_000),
    is_value_known: true,
    is_read: false,
    block_number: node.length + 1,
    log_index: 1,
    transaction_hash: transaction(i),
    sets_in_transaction: 1,
  },
});

/** A log in the next block, about a name. */
export const nextLog = ({ chainId, node }: Chain, name: string, eventType: string): Write =>
  logOf({ chainId, block: node.length + 1, log: 7, time: 1 }, { node: namehash(name), eventType });
