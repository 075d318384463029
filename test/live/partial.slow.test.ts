import { keccak256, namehash, stringToBytes } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { mineBlocks } from "../../devnet/acts.ts";
import { names, openScene, type Scene } from "./scene.ts";
import { describeStrangers } from "./strangers.ts";

/* Answers about names that need the chain while the node or a gateway is away. */

let scene: Scene;

beforeAll(async () => {
  scene = await openScene({ TRUSTED_PROXIES: "1" });
});
afterAll(() => scene?.close());
afterEach(() => {
  scene.rpc.fault = () => undefined;
});

type Fields = Record<string, unknown>;

/** In its own block, so that no earlier answer is remembered. */
async function inNewBlock(): Promise<void> {
  await mineBlocks(scene.chain, { count: 1 });
  await scene.stack.waitForHead();
}

const get = (path: string) => scene.stack.api<Fields>(path);

async function bulk(query: string, body: object): Promise<Fields[]> {
  const reply = await fetch(`${scene.stack.url}/whois/bulk${query}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return ((await reply.json()) as { results: Fields[] }).results;
}

const partsOf = ({ unresolved }: Fields) => (unresolved as { part: string }[]).map(({ part }) => part);

/** What registries say about a name: the fields that need no resolver. */
const registered = ({ name, namehash, expiry_timestamp, ownership, availability_status }: Fields) => ({
  name,
  namehash,
  expiry_timestamp,
  ownership,
  availability_status,
});

describe("with the node away", () => {
  const kinds = [
    [names.bare, ["display", "resolver.answered_by"]],
    [names.changeable, ["display"]],
    [names.wrapped, ["display"]],
    [names.ownedBelowWildcard, ["display", "resolver.answered_by"]],
    ["nothing.wild.eth", ["domain"]],
  ] as const;

  test.each(kinds)("%s: whois, bulk and look-ups agree on what is certain", async (name, parts) => {
    await inNewBlock();
    const before = (await get(`/whois/${name}`)).body;
    await inNewBlock();
    scene.rpc.fault = () => ({ close: true });
    const path = `/whois/${name}`;
    expect(await get(path)).toMatchObject({
      status: 502,
      body: { error: { code: "LIVE_RESOLUTION_FAILED" } },
    });
    const { status, body } = await get(`${path}?partial=true`);
    expect(status).toBe(200);
    expect(body.source).toBe("indexed");
    expect(partsOf(body)).toEqual(parts);
    const [listed] = await bulk("?partial=true", { names: [name] });
    expect(listed).toEqual(body);
    const [failed] = await bulk("", { names: [name] });
    expect(failed).toEqual({
      ...body,
      error: { code: "LIVE_RESOLUTION_FAILED", message: expect.any(String) },
    });
    if (body.name === undefined) {
      expect(body.availability_status).toBe("unknown");
      return;
    }
    expect(registered(body)).toEqual(registered(before));
    const { query, ...record } = body;
    expect((await get(`/lookup-namehash/${namehash(name)}?partial=true`)).body).toEqual(record);
    const label = keccak256(stringToBytes(name.split(".")[0] as string));
    expect((await get(`/lookup-labelhash/${label}?partial=true`)).body.domains).toEqual([record]);
    expect((await get(`/lookup-labelhash/${label}`)).body.domains).toEqual([
      { ...record, error: { code: "LIVE_RESOLUTION_FAILED", message: expect.any(String) } },
    ]);
  });

  test("the explorer shows what is certain, and what is unknown", async () => {
    await inNewBlock();
    scene.rpc.fault = () => ({ close: true });
    const page = await fetch(`${scene.stack.url}/explore/name/${names.changeable}`);
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).toContain("The chain could not be read, so this is unknown: its records.");
    expect(text).toContain(scene.alice.slice(2, 8));
    expect(text).not.toContain("No text records set.");
    const absent = await fetch(`${scene.stack.url}/explore/name/nothing.wild.eth`);
    expect(absent.status).toBe(502);
    const words = await absent.text();
    expect(words).toContain("so this is unknown: the name.");
    expect(words).not.toContain("No event ever named this name");
  });

  test("an address has its names and no primary name", async () => {
    await inNewBlock();
    scene.rpc.fault = () => ({ close: true });
    const path = `/address/${scene.bob}/summary`;
    expect(await get(path)).toMatchObject({ status: 502 });
    const { status, body } = await get(`${path}?partial=true`);
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("primary_name");
    expect(partsOf(body)).toEqual(["primary_name"]);
    const page = await fetch(`${scene.stack.url}/explore/address/${scene.bob}?view=primary`);
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).toContain("so this is unknown: the primary name.");
    expect(text).not.toContain("The address has no primary name");
  });
});

test("with a gateway away, its name has everything except the gateway's data", async () => {
  await scene.gateway.stop();
  await inNewBlock();
  const path = `/domain/${names.offchain}/records`;
  expect(await get(path)).toMatchObject({ status: 502 });
  const { status, body } = await get(`${path}?partial=true`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ source: "indexed", resolver: { status: "unindexed" } });
  expect(body).not.toHaveProperty("records");
  expect(partsOf(body)).toEqual(["records"]);
  const whois = (await get(`/whois/${names.offchain}?partial=true`)).body;
  expect(whois).toMatchObject({ availability_status: "registered", ownership: { owner: scene.alice } });
  expect(partsOf(whois)).toEqual(["display"]);
  const [indexed] = await bulk("", { names: [names.indexed] });
  expect(indexed).not.toHaveProperty("unresolved");
});

describe("strangers", () => describeStrangers(() => scene));
