import { domain, label, resolverNode } from "ponder:schema";
import { and, eq, sql } from "ponder";
import { namehash } from "viem";
import { beforeAll, expect, test } from "vitest";
import { selectDomains } from "../../src/api/names/query/domains.ts";
import { withQuickRows } from "../../src/api/server/postgres/quickRows.ts";
import { account, answerable, CHAIN_ID, domainRow, registeredRow } from "./rows.ts";
import { useTables } from "./tables.ts";

const tables = useTables();

beforeAll(async () => {
  const rows = [
    domainRow("bare.eth"),
    registeredRow("alice.eth", account(1), 2n ** 64n, { isWrapped: true, wrapperFuses: 65_537 }),
  ];
  await tables.writer.insert(domain).values(answerable(rows));
  const [, alice] = rows;
  await tables.writer
    .insert(label)
    .values([{ chainId: CHAIN_ID, labelhash: alice?.labelhash ?? "0x", label: "alice", source: "event" }]);
});

const rowsOf = () =>
  selectDomains(tables.db, { length: sql<number>`length(${domain.fullName})`, parent: domain.parentNode })
    .where(eq(domain.chainId, sql.placeholder("chainId")))
    .orderBy(domain.node);

test("rows equal drizzle's, with columns in the same order", async () => {
  const values = { chainId: CHAIN_ID };
  const plain = await rowsOf().prepare("plain").execute(values);
  const quick = withQuickRows(rowsOf().prepare("quick"));
  expect(Object.hasOwn(quick, "customResultMapper")).toBe(true);
  const read = await quick.execute(values);
  expect(read).toEqual(plain);
  expect(JSON.stringify(read, inText)).toBe(JSON.stringify(plain, inText));
  expect(read.map((row) => row.domain.node)).toContain(namehash("alice.eth"));
  expect(read.map((row) => typeof row.domain.expiryTimestamp).sort()).toEqual(["bigint", "object"]);
  expect(await quick.execute({ chainId: 0 })).toEqual([]);
});

test("a joined table whose object may be null is read by drizzle", async () => {
  const joined = () =>
    tables.db
      .select({ domain, label, node: resolverNode.node })
      .from(domain)
      .leftJoin(label, and(eq(label.chainId, domain.chainId), eq(label.labelhash, domain.labelhash)))
      .leftJoin(resolverNode, eq(resolverNode.node, domain.node))
      .orderBy(domain.node);
  const plain = await joined().prepare("plain_joined").execute();
  expect(plain.map((row) => row.label === null).sort()).toEqual([false, true]);
  expect(await withQuickRows(joined().prepare("quick_joined")).execute()).toEqual(plain);
});

const inText = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}n` : value);
