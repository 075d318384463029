import { domain, ensv2Entry, ensv2Proxy, ensv2Role, operator } from "ponder:schema";
import { type Address, getAddress } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { useApi } from "./api.ts";
import {
  contracts,
  ETH_ENTRY,
  ETH_REGISTRY,
  entryRow,
  proxyRow,
  REGISTRY_CODE,
  ROOT,
  roleRow,
} from "./ensv2.ts";
import { account, alice, at, bob, CHAIN_ID, carol, domainRow, NOW } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

/** A user's registry, below `linked.eth`. */
const USER = account(0x6001);
const EXPIRED = BigInt(NOW);
const revoked = account(0xdead);
const SET_SUBREGISTRY = 1n << 20n;
const SET_RESOLVER = 1n << 24n;
const CAN_TRANSFER = 1n << 156n;

type Item = Record<string, unknown>;

const linked = entryRow(ETH_REGISTRY, "linked", { owner: alice, subregistry: USER });
const plain = entryRow(ETH_REGISTRY, "plain", { owner: carol, subregistry: account(0x6002) });
const late = entryRow(ETH_REGISTRY, "late", { owner: alice, expiry: EXPIRED, subregistry: account(0x6003) });
const gone = entryRow(USER, "gone", { owner: carol, expiry: EXPIRED });
const lost = entryRow(USER, "lost", { owner: bob, expiry: EXPIRED });
const entries = [
  ETH_ENTRY,
  linked,
  plain,
  late,
  gone,
  lost,
  entryRow(USER, "sub", { owner: carol }),
  entryRow(account(0x6002), "sub", { owner: carol }),
];

const operatorRow = (owner: Address, by: Address) => ({
  ...at(11, 1),
  contract: ETH_REGISTRY,
  owner,
  operator: by,
  isApproved: true,
});

const tables = useTables();
const api = useApi(tables, NOW, { contracts });

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: 1_000, time: NOW });
  const { writer } = tables;
  const rows = [
    domainRow("eth", { registry: ROOT }),
    ...["linked", "plain", "late"].map((label) => domainRow(`${label}.eth`, { registry: ETH_REGISTRY })),
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
      roleRow(ETH_REGISTRY, linked.resource, revoked, 0n),
      roleRow(ETH_REGISTRY, plain.resource, carol, SET_RESOLVER),
      roleRow(ETH_REGISTRY, late.resource, alice, SET_SUBREGISTRY | CAN_TRANSFER),
      roleRow(USER, null, carol, CAN_TRANSFER),
      roleRow(USER, gone.resource, carol, SET_RESOLVER),
      roleRow(USER, lost.resource, bob, SET_RESOLVER | CAN_TRANSFER),
    ]);
  await writer.insert(operator).values([operatorRow(alice, bob), operatorRow(carol, bob)]);
});

const ofKind = async (name: string, kind: string) => {
  const { permissions } = await api.ask(`/domain/${name}/permissions`);
  return (permissions as Item[]).filter((row) => row.kind === kind && row.layer === "token");
};

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
        block_timestamp: at(11).blockTimestamp,
        transaction_hash: at(11).transactionHash,
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

test("revoked roles are in no list", async () => {
  expect(await ofKind("linked.eth", "role")).toMatchObject([{ address: getAddress(alice) }]);
  expect(await api.ask(`/address/${revoked}/permissions`)).toMatchObject({ permissions: [], total: 0 });
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
