import { domain, ensv2Entry, ensv2Proxy, ensv2Role, operator } from "ponder:schema";
import { type Address, getAddress } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { useApi } from "./api.ts";
import { contracts, type EntryRow, ETH_REGISTRY, entryRow, proxyRow, REGISTRY_CODE, ROOT } from "./ensv2.ts";
import { account, CHAIN_ID, domainRow, transaction } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

const NOW = 1_800_000_000;
const alice = account(0xa11ce);
const bob = account(0xb0b);
const carol = account(0xca401);
/** A user's registry, below `linked.eth`. */
const USER = account(0x6001);
const EXPIRED = BigInt(NOW);
const SET_SUBREGISTRY = 1n << 20n;
const SET_RESOLVER = 1n << 24n;
const CAN_TRANSFER = 1n << 156n;

type Item = Record<string, unknown>;

const linked = entryRow(ETH_REGISTRY, "linked", { owner: alice, subregistry: USER });
const plain = entryRow(ETH_REGISTRY, "plain", { owner: carol, subregistry: account(0x6002) });
const late = entryRow(ETH_REGISTRY, "late", { owner: alice, expiry: EXPIRED, subregistry: account(0x6003) });
const gone = entryRow(USER, "gone", { owner: carol, expiry: EXPIRED });
const lost = entryRow(USER, "lost", { owner: bob, expiry: EXPIRED });
const entries: EntryRow[] = [
  entryRow(ROOT, "eth", { subregistry: ETH_REGISTRY, owner: account(0xda0) }),
  linked,
  plain,
  late,
  gone,
  lost,
  entryRow(USER, "sub", { owner: carol }),
  entryRow(account(0x6002), "sub", { owner: carol }),
];

const event = (block: number) => ({
  blockNumber: block,
  logIndex: 1,
  blockTimestamp: NOW - 1_000,
  transactionHash: transaction(block),
});

const roleRow = (contract: Address, resource: bigint | null | undefined, of: Address, roles: bigint) => ({
  chainId: CHAIN_ID,
  contract,
  resource: resource ?? 0n,
  account: of,
  roles,
  ...event(10),
});

const operatorRow = (contract: Address, owner: Address, by: Address) => ({
  chainId: CHAIN_ID,
  contract,
  owner,
  operator: by,
  isApproved: true,
  ...event(11),
});

const tables = useTables();
const api = useApi(tables, NOW, { contracts });

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: 1_000, time: NOW });
  const { writer } = tables;
  const rows = [
    domainRow("eth", { registry: ROOT }),
    domainRow("linked.eth", { registry: ETH_REGISTRY }),
    domainRow("plain.eth", { registry: ETH_REGISTRY }),
    domainRow("late.eth", { registry: ETH_REGISTRY }),
    ...["sub", "gone", "lost"].map((label) => domainRow(`${label}.linked.eth`, { registry: USER })),
    domainRow("sub.plain.eth", { registry: account(0x6002) }),
  ];
  await writer.insert(domain).values(rows);
  await writer.insert(ensv2Entry).values(entries);
  await writer
    .insert(ensv2Proxy)
    .values([proxyRow(USER, REGISTRY_CODE), proxyRow(account(0x6002), REGISTRY_CODE)]);
  await writer
    .insert(ensv2Role)
    .values([
      roleRow(ETH_REGISTRY, linked.resource, alice, SET_SUBREGISTRY | CAN_TRANSFER),
      roleRow(ETH_REGISTRY, plain.resource, carol, SET_RESOLVER),
      roleRow(ETH_REGISTRY, late.resource, alice, SET_SUBREGISTRY | CAN_TRANSFER),
      roleRow(USER, null, carol, CAN_TRANSFER),
      roleRow(USER, gone.resource, carol, SET_RESOLVER),
      roleRow(USER, lost.resource, bob, SET_RESOLVER | CAN_TRANSFER),
    ]);
  await writer
    .insert(operator)
    .values([operatorRow(ETH_REGISTRY, alice, bob), operatorRow(ETH_REGISTRY, carol, bob)]);
});

const ofName = async (name: string) => {
  const { status, body } = await api.get(`/domain/${name}/permissions`);
  expect({ name, status }).toEqual({ name, status: 200 });
  return body.permissions as Item[];
};
const ofKind = async (name: string, kind: string) =>
  (await ofName(name)).filter((row) => row.kind === kind && row.layer === "token");

describe("a name's registry can be replaced by", () => {
  test("each operator of the parent's holder, if the holder may do it", async () => {
    expect(await ofKind("sub.linked.eth", "parent_operator")).toEqual([
      {
        address: getAddress(bob),
        kind: "parent_operator",
        layer: "token",
        contract_address: getAddress(ETH_REGISTRY),
        may: ["replace"],
        in_force: true,
        given_by: getAddress(alice),
        block_number: 11,
        block_timestamp: NOW - 1_000,
        transaction_hash: transaction(11),
        log_index: 1,
      },
    ]);
    expect(await ofKind("sub.linked.eth", "parent_role")).toMatchObject([{ address: getAddress(alice) }]);
  });

  test("no operator of a holder who may not do it", async () => {
    expect(await ofKind("sub.plain.eth", "parent_operator")).toEqual([]);
    expect(await ofKind("sub.plain.eth", "parent_role")).toEqual([]);
  });
});

describe("the holder of an expired token", () => {
  test("may move it with a role on the whole registry", async () => {
    expect(await ofKind("gone.linked.eth", "owner")).toMatchObject([
      { address: getAddress(carol), may: ["transfer_token"], in_force: true },
    ]);
  });

  test.each(["lost.linked.eth", "late.eth"])("may not with roles on the entry only: %s", async (name) => {
    const owners = await ofKind(name, "owner");
    expect(owners).toMatchObject([{ may: [], in_force: false, reason: "expired" }]);
  });
});
