import { domain } from "ponder:schema";
import { labelhash, namehash } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { MAX_LABELS_PER_MINUTE, provenLabelsIn } from "../../src/api/server/serviceDb/provenLabels.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { openApi, type TestApi } from "./api.ts";
import { alice, answerable, domainRow, inDays, NOW, ownedBy, registeredRow } from "./rows.ts";
import { useTables } from "./tables.ts";

const tables = useTables();
let store: Store;
let api: TestApi;

const hidden = (label: string) => `[${labelhash(label).slice(2)}]`;

/** The row of a name whose labels the index knows only by these hashes. */
function hiddenRow(name: string, unknown: readonly string[]) {
  const labels = name.split(".").map((label) => (unknown.includes(label) ? hidden(label) : label));
  const [label = ""] = labels;
  const isKnown = !label.startsWith("[");
  return registeredRow(name, alice, inDays(1), {
    fullName: labels.join("."),
    label,
    isNameKnown: false,
    ...(isKnown ? {} : { isLabelKnown: false, labelLength: null }),
  });
}

const stored = async () =>
  (await store.query<{ label: string }>("SELECT label FROM proven_labels ORDER BY 1")).map(
    ({ label }) => label,
  );

const lookedUp = (name: string) => api.ask(`/lookup-namehash/${namehash(name)}`);

beforeAll(async () => {
  store = openStore({ databaseUrl: tables.databaseUrl, schema: "service" });
  api = openApi(tables, NOW, { provenLabels: provenLabelsIn(store) });
  await tables.writer
    .insert(domain)
    .values(
      answerable([
        registeredRow("alice.eth", alice, inDays(1)),
        hiddenRow("pay.alice.eth", ["pay"]),
        hiddenRow("deep.pay.alice.eth", ["pay"]),
        hiddenRow("secret.eth", ["secret"]),
        hiddenRow("bulk.eth", ["bulk"]),
        hiddenRow("kept.eth", ["kept"]),
        hiddenRow("false.eth", ["false"]),
      ]),
    );
});

afterAll(() => store.close());

describe("a label known only by hash", () => {
  test("is shown to the caller who writes it, in every field", async () => {
    expect(await lookedUp("pay.alice.eth")).toMatchObject({
      name: `${hidden("pay")}.alice.eth`,
      label: hidden("pay"),
    });
    expect((await api.get("/whois/Pay.alice.eth")).body).toMatchObject({
      query: "Pay.alice.eth",
      name: "pay.alice.eth",
      label: "pay",
      labelhash: labelhash("pay"),
      parent_name: "alice.eth",
      namehash: namehash("pay.alice.eth"),
    });
  });

  test("is then shown to all: by hash, in brackets, in bulk, below the name, and by other replicas", async () => {
    await vi.waitFor(async () => expect(await stored()).toEqual(["pay"]));
    const { query, ...asked } = (await api.get("/whois/pay.alice.eth")).body;
    expect(await lookedUp("pay.alice.eth")).toEqual(asked);
    expect((await api.get(`/lookup-labelhash/${labelhash("pay")}`)).body).toMatchObject({ domains: [asked] });
    expect((await api.get(`/whois/${hidden("pay")}.alice.eth`)).body).toMatchObject(asked);
    expect((await api.post("/whois/bulk", { namehashes: [namehash("pay.alice.eth")] })).body).toMatchObject({
      results: [asked],
    });
    expect(await lookedUp("deep.pay.alice.eth")).toMatchObject({
      name: "deep.pay.alice.eth",
      parent_name: "pay.alice.eth",
    });
    const other = openApi(tables, NOW, { provenLabels: provenLabelsIn(store) });
    expect((await other.get(`/lookup-namehash/${namehash("pay.alice.eth")}`)).body).toEqual(asked);
  });

  test("is proved in bulk too, by one item for the others", async () => {
    const { body } = await api.post("/whois/bulk", {
      names: ["bulk.eth"],
      namehashes: [namehash("bulk.eth")],
    });
    expect(body.results).toMatchObject([{ name: "bulk.eth" }, { name: "bulk.eth" }]);
    await vi.waitFor(async () => expect(await stored()).toContain("bulk"));
  });

  test("is shown by its hash if the stored text has another hash", async () => {
    await store.query("INSERT INTO proven_labels (labelhash, label) VALUES ($1, 'true')", [
      Buffer.from(labelhash("false").slice(2), "hex"),
    ]);
    expect(await lookedUp("false.eth")).toMatchObject({ name: `${hidden("false")}.eth` });
  });

  test("is shown to the caller who writes it even if the store fails", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const failing = { query: () => Promise.reject(new Error("no store")) };
    const alone = openApi(tables, NOW, { provenLabels: provenLabelsIn(failing) });
    expect((await alone.get("/whois/secret.eth")).body).toMatchObject({ name: "secret.eth" });
    expect((await alone.get(`/whois/${hidden("secret")}.eth`)).body).toMatchObject({
      name: `${hidden("secret")}.eth`,
    });
    expect(warn).toHaveBeenCalled();
    warn.mockRestore();
  });
});

test("lists show proved labels, and the resulting state, as whois does", async () => {
  // Only in the old registry: whether it can be bought depends on its length.
  const relic = domainRow("reveal.eth", {
    ...ownedBy(alice),
    isLabelKnown: false,
    labelLength: null,
    fullName: `${hidden("reveal")}.eth`,
    label: hidden("reveal"),
    isNameKnown: false,
  });
  await tables.writer.insert(domain).values(answerable([relic]));
  const item = async () => {
    const { body } = await api.get(`/search-domains?q=${labelhash("reveal").slice(2)}`);
    return (body.results as unknown[])[0];
  };
  expect(await item()).toMatchObject({ name: `${hidden("reveal")}.eth`, availability_status: "unknown" });
  const asked = (await api.get("/whois/reveal.eth")).body;
  expect(asked).toMatchObject({ name: "reveal.eth", availability_status: "available" });
  await vi.waitFor(async () => expect(await stored()).toContain("reveal"));
  const { name, label, availability_status } = asked;
  expect(await item()).toMatchObject({ name, label, availability_status });
  const held = (await api.get(`/address/${alice}/domains?include_expired=true`)).body;
  const names = (held.results as { name: string }[]).map((one) => one.name);
  expect(names).toEqual(expect.arrayContaining(["reveal.eth", "pay.alice.eth", "deep.pay.alice.eth"]));
  expect((await api.get("/domain/alice.eth/subdomains")).body).toMatchObject({
    results: [{ name: "pay.alice.eth", label: "pay" }],
  });
});

describe("what is stored", () => {
  test("is limited to labels that the index has but does not know", async () => {
    const before = await stored();
    for (const name of [
      "alice.eth",
      "absent.alice.eth",
      "never.eth",
      "a.b.kept.example",
      `${hidden("kept")}.eth`,
    ]) {
      expect((await api.get(`/whois/${name}`)).status).toBe(200);
    }
    await api.get("/whois/kept.eth"); // Would be stored after all the others, had any been.
    await vi.waitFor(async () => expect(await stored()).toContain("kept"));
    expect(await stored()).toEqual([...before, "kept"].sort());
  });

  test("is bounded per minute", async () => {
    const queries: unknown[][] = [];
    const labels = provenLabelsIn({
      query: async (_, values = []) => {
        queries.push(values[1] as unknown[]);
        return [];
      },
    });
    const many = (from: number, count: number) =>
      new Map(Array.from({ length: count }, (_, i) => [labelhash(`${from + i}`), `${from + i}`] as const));
    labels.remember(many(0, 500));
    labels.remember(many(1_000, 500));
    labels.remember(many(2_000, 500));
    expect(queries.map((texts) => texts.length)).toEqual([500, MAX_LABELS_PER_MINUTE - 500]);
  });
});
