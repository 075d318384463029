import { type Hex, numberToHex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { ethNode, nodeBelow, nodeOf } from "../../../devnet/acts.ts";
import { logsOf, logsThatCount } from "../oracle.ts";
import { ask, stage } from "../stage.ts";

type Row = Record<string, unknown>;
type Logged = Awaited<ReturnType<typeof logsOf>>[number];

const idOf = ({ blockNumber, logIndex }: Logged) => `${blockNumber}-${logIndex}`;
const lower = (value: unknown) => String(value).toLowerCase();
const account = (value: unknown) => ({ id: lower(value) });
const common = (log: Logged, node: unknown) => ({
  id: idOf(log),
  blockNumber: Number(log.blockNumber),
  transactionID: log.transactionHash,
  domain: { id: node },
});
const hex32 = (value: unknown): Hex => numberToHex(value as bigint, { size: 32 });

/** Entities of a type in id order, from the logs of a contract. */
const judged: Record<
  string,
  { contract: string; event: string; fields: string; toRow: (log: Logged) => Row }
> = {
  transfers: {
    contract: "registry",
    event: "Transfer",
    fields: "owner { id }",
    toRow: (log) => ({ ...common(log, log.args.node), owner: account(log.args.owner) }),
  },
  newOwners: {
    contract: "registry",
    event: "NewOwner",
    fields: "owner { id } parentDomain { id }",
    toRow: ({ args, ...log }) => ({
      ...common({ args, ...log }, nodeBelow(args.node as Hex, { labelhash: args.label as Hex })),
      owner: account(args.owner),
      parentDomain: { id: args.node },
    }),
  },
  newResolvers: {
    contract: "registry",
    event: "NewResolver",
    fields: "resolver { id }",
    toRow: (log) => ({
      ...common(log, log.args.node),
      resolver: {
        id: log.args.resolver === zeroAddress ? zeroAddress : `${lower(log.args.resolver)}-${log.args.node}`,
      },
    }),
  },
  newTTLs: {
    contract: "registry",
    event: "NewTTL",
    fields: "ttl",
    toRow: (log) => ({ ...common(log, log.args.node), ttl: String(log.args.ttl) }),
  },
  wrappedTransfers: {
    contract: "wrapper",
    event: "TransferSingle",
    fields: "owner { id }",
    toRow: (log) => ({
      ...common(log, hex32(log.args.id)),
      id: `${idOf(log)}-0`,
      owner: account(log.args.to),
    }),
  },
  nameWrappeds: {
    contract: "wrapper",
    event: "NameWrapped",
    fields: "fuses owner { id } expiryDate",
    toRow: (log) => ({
      ...common(log, log.args.node),
      fuses: log.args.fuses,
      owner: account(log.args.owner),
      expiryDate: String(log.args.expiry),
    }),
  },
  nameUnwrappeds: {
    contract: "wrapper",
    event: "NameUnwrapped",
    fields: "owner { id }",
    toRow: (log) => ({ ...common(log, log.args.node), owner: account(log.args.owner) }),
  },
};

const byId = (rows: Row[]): Row[] => rows.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));

describe("each log of a contract is one entity, and ids are text", () => {
  for (const [list, { contract, event, fields, toRow }] of Object.entries(judged)) {
    test(list, async () => {
      const answer = await ask<Record<string, Row[]>>(
        `{ ${list}(first: 1000) { id blockNumber transactionID domain { id } ${fields} } }`,
      );
      const logs = (await logsThatCount(contract)).filter(({ eventName }) => eventName === event);
      expect(logs.length).toBeGreaterThan(0);
      expect(answer[list]).toEqual(byId(logs.map(toRow)));
    });
  }

  test("registrations and renewals", async () => {
    const logs = await logsOf("registrar");
    const rows = (event: string, more: (args: Logged["args"]) => Row) =>
      byId(
        logs
          .filter(({ eventName }) => eventName === event)
          .map((log) => ({
            id: idOf(log),
            registration: { id: hex32(log.args.id) },
            expiryDate: String(log.args.expires),
            ...more(log.args),
          })),
      );
    expect(
      await ask(`{ nameRegistereds { id registration { id } expiryDate registrant { id } }
        nameReneweds { id registration { id } expiryDate } }`),
    ).toEqual({
      nameRegistereds: rows("NameRegistered", ({ owner }) => ({ registrant: account(owner) })),
      nameReneweds: rows("NameRenewed", () => ({})),
    });
  });
});

describe("records", () => {
  test("each kind of record has its event", async () => {
    const resolver = `resolver_: { domain: "${ethNode("records")}" }`;
    const answer = await ask<Record<string, Row[]>>(`{
      addrChangeds(where: { ${resolver} }) { addr { id } }
      multicoinAddrChangeds(where: { ${resolver}, coinType: 0 }) { coinType addr }
      nameChangeds(where: { ${resolver} }) { name }
      abiChangeds(where: { ${resolver} }) { contentType }
      pubkeyChangeds(where: { ${resolver} }) { x y }
      textChangeds(where: { ${resolver} }, orderBy: blockNumber) { key value }
      contenthashChangeds(where: { ${resolver} }) { hash }
      interfaceChangeds(where: { ${resolver} }) { interfaceID implementer }
      versionChangeds { version resolver { domain { name } } }
    }`);
    expect(answer).toMatchObject({
      addrChangeds: [{ addr: account(stage.cast.bob) }],
      multicoinAddrChangeds: [{ coinType: "0", addr: "0x00" }],
      nameChangeds: [{ name: "records.eth" }],
      abiChangeds: [{ contentType: "1" }],
      pubkeyChangeds: [{ x: `0x${"11".repeat(32)}`, y: `0x${"22".repeat(32)}` }],
      contenthashChangeds: [{}],
      interfaceChangeds: [{ interfaceID: "0x12345678", implementer: lower(stage.cast.carol) }],
      versionChangeds: [{ version: "1", resolver: { domain: { name: "cleared.eth" } } }],
    });
    expect(new Set(answer.textChangeds?.map(({ key, value }) => `${key}=${value}`))).toEqual(
      new Set(["url=https://one.example", "avatar=https://one.example/a.png", "nulkey=nulvalue"]),
    );
  });

  test("an empty text is null", async () => {
    const { textChangeds } = await ask(`{ textChangeds(where: { key: "zeta", value: null }) { key value } }`);
    expect(textChangeds).toEqual([{ key: "zeta", value: null }]);
  });
});

describe("interfaces", () => {
  test("have the events of all their types, each with its own fields", async () => {
    const { domain } = await ask<{ domain: { events: Row[] } }>(
      `{ domain(id: "${nodeOf("two.records.eth")}") { events {
          id __typename ... on NewOwner { from: parentDomain { name } } ... on NewTTL { ttl }
          ... on WrappedTransfer { owner { id } } ... on NameWrapped { name fuses } ...E } } }
       fragment E on DomainEvent { blockNumber }`,
    );
    expect(domain.events.map(({ __typename }) => __typename).sort()).toEqual(
      ["NameWrapped", "NewOwner", "NewTTL", "Transfer", "WrappedTransfer"].sort(),
    );
    expect(domain.events.find(({ __typename }) => __typename === "NewOwner")).toMatchObject({
      from: { name: "records.eth" },
    });
    expect(domain.events.find(({ __typename }) => __typename === "NewTTL")).toMatchObject({ ttl: "300" });
    expect(domain.events.find(({ __typename }) => __typename === "NameWrapped")).toMatchObject({
      name: "two.records.eth",
      fuses: 0,
    });
    const ids = domain.events.map(({ id }) => String(id));
    expect(ids).toEqual([...ids].sort());
  });

  test("have root fields of their own", async () => {
    const counts = await ask<Record<string, Row[]>>(
      `{ domainEvents(first: 1000) { id } registrationEvents(first: 1000) { id } resolverEvents(first: 1000) { id } }`,
    );
    const types = await ask<Record<string, Row[]>>(
      `{ nameRegistereds(first: 1000) { id } nameReneweds(first: 1000) { id } nameTransferreds(first: 1000) { id } }`,
    );
    const all = Object.values(types)
      .flat()
      .map(({ id }) => String(id));
    expect(counts.registrationEvents?.map(({ id }) => id)).toEqual(all.sort());
    const [first] = counts.domainEvents ?? [];
    expect(await ask(`{ domainEvent(id: "${first?.id}") { id __typename } }`)).toMatchObject({
      domainEvent: { id: first?.id },
    });
  });
});
