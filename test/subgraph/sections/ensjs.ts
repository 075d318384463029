import {
  getDecodedName,
  getNameHistory,
  getNamesForAddress,
  getSubgraphRecords,
  getSubnames,
} from "@ensdomains/ensjs/subgraph";
import { zeroAddress } from "viem";
import { describe, expect, test, vi } from "vitest";
import { addressOf, hashLabel, latestTime, nodeOf } from "../../../devnet/acts.ts";
import { readSubgraphLogs, type SubgraphEvent } from "../../truth/subgraphLogs.ts";
import { ensjsClient } from "../ensjsClient.ts";
import { expectedDomain } from "../oracle.ts";
import { ask, stage } from "../stage.ts";

const clientOf = () => ensjsClient(stage.local, stage.stack.url);

/** The library removes expired names by the computer's clock, which is not the chain's. */
async function atChainTime<Result>(work: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ["Date"], now: Number(await latestTime(stage.chain)) * 1_000 });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

/* What judgeByEnsjs.ts does not ask: searches, pages, histories and records. */

const [records, hashed] = [nodeOf("records.eth"), hashLabel("records")];

const filter = { owner: true, registrant: true, wrappedOwner: true, resolvedAddress: false };

describe("getNamesForAddress", () => {
  test("with the names that resolve to an address, and a text in their labels", async () => {
    const { alice } = stage.cast;
    const only = { owner: false, registrant: false, wrappedOwner: false, resolvedAddress: true };
    const found = await atChainTime(() => getNamesForAddress(clientOf(), { address: alice, filter: only }));
    expect(found).toHaveLength(1);
    const search = { ...filter, searchString: "lear" };
    const searched = await atChainTime(() =>
      getNamesForAddress(clientOf(), { address: alice, filter: search }),
    );
    expect(searched.map(({ name }) => name)).toEqual(["cleared.eth"]);
  });

  test.each(
    (["name", "labelName", "createdAt", "expiryDate"] as const).flatMap((orderBy) => [
      { orderBy, orderDirection: "asc" as const },
      { orderBy, orderDirection: "desc" as const },
    ]),
  )("its cursors reach all pages, by $orderBy $orderDirection", async (order) => {
    const { alice: address } = stage.cast;
    const client = clientOf();
    const whole = await atChainTime(() =>
      getNamesForAddress(client, { address, filter, pageSize: 1_000, ...order }),
    );
    type Names = Awaited<ReturnType<typeof getNamesForAddress>>;
    const found: Names = [];
    let previousPage: Names | undefined;
    for (;;) {
      const page: Names = await atChainTime(() =>
        getNamesForAddress(client, {
          address,
          filter,
          pageSize: 2,
          ...order,
          ...(previousPage && { previousPage }),
        }),
      );
      found.push(...page);
      if (page.length < 2) break;
      previousPage = page;
    }
    const ids = (names: Names) => names.map(({ id }) => id);
    if (order.orderBy === "labelName") return expect(ids(whole)).toEqual(expect.arrayContaining(ids(found)));
    expect(ids(found)).toEqual(ids(whole));
    expect(found.length).toBeGreaterThan(3);
  });
});

describe("getSubnames", () => {
  test("has the names below one, without those that have no owner", async () => {
    const found = await atChainTime(() => getSubnames(clientOf(), { name: "records.eth" }));
    const { domain } = await ask<{ domain: { subdomains: { name: string; owner: { id: string } }[] } }>(
      `{ domain(id: "${(await expectedDomain("records.eth")).id}") { subdomains { name owner { id } } } }`,
    );
    const owned = domain.subdomains.filter(({ owner }) => !/^0x0+$/.test(owner.id));
    expect(found.map(({ name }) => name).sort()).toEqual(owned.map(({ name }) => name).sort());
    expect(found).toHaveLength(3);
    const whole = { name: "records.eth", allowDeleted: true, allowExpired: true };
    expect(await atChainTime(() => getSubnames(clientOf(), whole))).toHaveLength(4);
  });

  test("of a wrapped name with their fuses", async () => {
    const found = await atChainTime(() => getSubnames(clientOf(), { name: "wrapped.eth" }));
    expect(found.map(({ name, fuses }) => [name, fuses?.parent.PARENT_CANNOT_CONTROL ?? null])).toEqual([
      ["child.wrapped.eth", true],
      ["loose.wrapped.eth", null],
    ]);
  });
});

describe("getNameHistory", () => {
  test("has every event of a name, its registration and its resolver", async () => {
    const history = await getNameHistory(clientOf(), { name: "records.eth" });
    const types = (events: readonly { type: string }[] = []) => events.map(({ type }) => type).sort();
    const logs = await readSubgraphLogs(stage.local);
    const ofNode = (events: readonly SubgraphEvent[] = [], node = records) =>
      types(events.filter((one) => one.node === node));
    const resolver = addressOf(stage.chain, "resolver5").toLowerCase();
    expect(types(history?.domainEvents)).toEqual(ofNode(logs.domains));
    expect(types(history?.registrationEvents ?? [])).toEqual(ofNode(logs.registrations, hashed));
    expect(types(history?.resolverEvents ?? [])).toEqual(ofNode(logs.records.get(resolver)));
  });

  test("of a name whose resolver was removed does not fail", async () => {
    const history = await getNameHistory(clientOf(), { name: "cleared.eth" });
    const changes = history?.domainEvents.filter(({ type }) => type === "NewResolver") ?? [];
    // The events are ordered by id, which is a text.
    const [last] = changes.toSorted((a, b) => b.blockNumber - a.blockNumber);
    expect(last).toMatchObject({ resolver: zeroAddress });
  });
});

describe("single names", () => {
  test("getSubgraphRecords has the keys of a name's records", async () => {
    expect(await getSubgraphRecords(clientOf(), { name: "records.eth" })).toMatchObject({
      isMigrated: true,
      texts: ["url", "avatar", "nulkey"],
      coins: ["60", "0"],
    });
    const at = { name: "cleared.eth", resolverAddress: addressOf(stage.chain, "resolver5") };
    expect(await getSubgraphRecords(clientOf(), at)).toMatchObject({ texts: ["zeta", "alpha"], coins: [] });
    expect(await getSubgraphRecords(clientOf(), { name: "nothing.eth" })).toBeNull();
  });

  test("getDecodedName resolves a hash", async () => {
    const { domain } = await ask<{ domain: { labelhash: string } }>(
      `{ domain(id: "${records}") { labelhash } }`,
    );
    const name = `[${domain.labelhash.slice(2)}].eth`;
    expect(await getDecodedName(clientOf(), { name })).toBe("records.eth");
  });
});
