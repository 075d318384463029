import { type Address, getAddress, namehash } from "viem";
import { expect, test } from "vitest";
import {
  addressOf,
  buyName,
  DAY,
  deployResolver,
  deployUserRegistry,
  dnsEncode,
  latestTime,
  nodeOf,
  read,
  readEntry,
  registerEntry,
  renewEntry,
  renewName,
  setParent,
  setSubregistry,
  transferEntryUnsafely,
  unregisterEntry,
  warpTo,
  writeAllToResolver,
  YEAR,
} from "../../../devnet/acts.ts";
import { expectAnswerAsOnChain, expectAnswersAsOnChain } from "../ensv2Answers.ts";
import { lower } from "../stage.ts";
import { stage } from "./stage.ts";

const at = (contract: string) => lower(addressOf(stage.chain, contract));

test("a name has its own registry and resolver", async () => {
  const { chain, cast } = stage;
  const { alice: from, bob, carol } = cast;
  await deployResolver(chain, { from, name: "ofDeep" });
  await deployUserRegistry(chain, { from, name: "below" });
  const [resolver, subregistry] = [addressOf(chain, "ofDeep"), addressOf(chain, "below")];
  await buyName(chain, { from, label: "deep", resolver, subregistry });
  await setParent(chain, { from, registry: "below", parent: addressOf(chain, "ethRegistry"), label: "deep" });
  await registerEntry(chain, { from, registry: "below", label: "kid", owner: bob, resolver });
  const name = ["deep", "eth"];
  const writes = [
    { name, write: { kind: "text", key: "url", value: "https://deep.example" } as const },
    { name, write: { kind: "address", coinType: 60n, bytes: carol } as const },
    { name, write: { kind: "data", key: "key", value: "0x01" } as const },
    { name, write: { kind: "contenthash", hash: "0xe3010170" } as const },
    { name, write: { kind: "name", name: "deep.eth" } as const },
    { name, write: { kind: "abi", contentType: 1n, data: "0x7b7d" } as const },
    { name, write: { kind: "interface", id: "0x01ffc9a7", implementer: carol } as const },
    { name: ["kid", ...name], write: { kind: "link", node: namehash("deep.eth") } as const },
  ];
  await writeAllToResolver(chain, { from, resolver: "ofDeep", writes });
  await expectAnswersAsOnChain(stage, ["deep.eth", "kid.deep.eth"]);
  const families = await stage.sql<{ contract: string }>(
    "select distinct contract from events where contract_address = $1",
    [at("ofDeep")],
  );
  expect(families).toEqual([{ contract: "ENSV2_RESOLVER" }]);
  const proxies = await stage.sql<{ implementation: Address }>(
    "select implementation from ensv2_proxies where address = any($1) order by implementation",
    [[at("ofDeep"), at("below")]],
  );
  expect(proxies.map((row) => row.implementation)).toEqual(
    [at("userRegistryCode"), at("resolverCode")].toSorted(),
  );
});

test("a subname that is unregistered, and then renewed by the registry's keeper, has no holder", async () => {
  const { chain, cast } = stage;
  const kid = { from: cast.alice, registry: "below", label: "gone" };
  const expiry = 2n ** 64n - 1n;
  await registerEntry(chain, { ...kid, owner: cast.bob, expiry });
  expect((await expectAnswerAsOnChain(stage, "gone.deep.eth")).ownership.owner).toBe(cast.bob);
  await unregisterEntry(chain, kid);
  await expectAnswerAsOnChain(stage, "gone.deep.eth");
  await renewEntry(chain, { ...kid, expiry });
  expect((await expectAnswerAsOnChain(stage, "gone.deep.eth")).ownership).not.toHaveProperty("owner");
});

test("a registry below two parents gives each entry two names, until one parent ends", async () => {
  const { chain, cast } = stage;
  const { alice, bob, carol } = cast;
  await deployUserRegistry(chain, { from: alice, name: "shared" });
  const subregistry = addressOf(chain, "shared");
  await buyName(chain, { from: alice, label: "left", subregistry, duration: 28n * DAY });
  await buyName(chain, { from: alice, label: "right", duration: 2n * YEAR });
  await setSubregistry(chain, { from: alice, label: "right", subregistry });
  const expiry = (await readEntry(chain, { label: "right" })).expiry;
  const entry = { from: alice, registry: "shared", label: "both" };
  await registerEntry(chain, { ...entry, owner: bob, resolver: carol, expiry });
  await expectAnswersAsOnChain(stage, ["both.left.eth", "both.right.eth"]);
  // Its keeper has roles there that affect the token, so only its holder can move it.
  await transferEntryUnsafely(chain, { ...entry, from: bob, to: carol });
  for (const { ownership } of await expectAnswersAsOnChain(stage, ["both.left.eth", "both.right.eth"])) {
    expect(ownership.owner).toBe(carol);
  }
  await warpTo(chain, { timestamp: (await readEntry(chain, { label: "left" })).expiry });
  expect((await expectAnswerAsOnChain(stage, "both.right.eth")).ownership.owner).toBe(carol);
  const hidden = await stage.record(nodeOf("both.left.eth"));
  expect(hidden).toMatchObject({ protocol: "ensv2", ownership: { is_wrapped: false } });
  expect(hidden.ownership).not.toHaveProperty("owner");
  await renewName(chain, { from: alice, label: "left" });
  expect((await expectAnswerAsOnChain(stage, "both.left.eth")).ownership.owner).toBe(carol);
});

test("a registry below itself answers under each of its names, and has a row for the first", async () => {
  const { chain, cast } = stage;
  const { alice: from, bob } = cast;
  await deployUserRegistry(chain, { from, name: "circle" });
  const subregistry = addressOf(chain, "circle");
  await buyName(chain, { from, label: "ring", subregistry, duration: 2n * YEAR });
  const expiry = (await latestTime(chain)) + YEAR;
  await registerEntry(chain, { from, registry: "circle", label: "again", owner: bob, subregistry, expiry });
  await expectAnswersAsOnChain(stage, ["ring.eth", "again.ring.eth"]);
  for (const name of ["again.again.ring.eth", "again.again.again.ring.eth"]) {
    const question = { contract: "universalHelper", functionName: "findExactOwner" };
    const owner = await read<Address>(chain, { ...question, args: [dnsEncode(name.split("."))] });
    const { status, body } = await stage.stack.api<{ protocol: string; ownership: { owner: Address } }>(
      `/whois/${name}`,
    );
    expect({ status, ...body }, name).toMatchObject({ status: 200, protocol: "ensv2" });
    expect(body.ownership.owner, name).toBe(getAddress(owner));
  }
  const rows = await stage.sql("select full_name from domains where registry = $1", [at("circle")]);
  expect(rows).toEqual([{ full_name: "again.ring.eth" }]);
});
