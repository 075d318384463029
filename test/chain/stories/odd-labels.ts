import { beforeAll, describe, expect, test } from "vitest";
import type { Label } from "../../../devnet/acts.ts";
import {
  ethNode,
  FUSES,
  hashLabel,
  nodeBelow,
  registerReferred,
  registerV3,
  registerWrapped,
  renew,
  renewReferred,
  setSubnodeOwner,
  setText,
  setWrappedSubnodeOwner,
  transferRegistration,
  wrapETH2LD,
} from "../../../devnet/acts.ts";
import { expectRecordsAsOnChain, expectWhoisAsOnChain, spelled } from "../onChain.ts";
import { eventsOf } from "../stage.ts";
import { stage } from "./stage.ts";

beforeAll(async () => {
  const { chain, cast } = stage;
  await registerWrapped(chain, { from: cast.alice, label: "shelf", fuses: FUSES.CANNOT_UNWRAP });
  await registerReferred(chain, { from: cast.alice, label: "drawer" });
});

const notUtf8 = Uint8Array.from([0x6e, 0x6f, 0x74, 0xff, 0xfe, 0x38]);
/** Cut off in the middle of a character. */
const halfCharacter = Uint8Array.from([0x61, 0x62, 0x63, 0xe2, 0x98]);

/** Labels that no name can show as text. */
const unprintable: [string, Label][] = [
  ["holds a NUL", "nul\0inside"],
  ["is a NUL", "\0\0\0"],
  ["holds a dot", "dot.inside"],
  ["holds brackets", "[brackets]"],
  ["looks like an unknown label", `[${"ab".repeat(32)}]`],
  ["is not UTF-8", notUtf8],
  ["ends within a character", halfCharacter],
];

/** Labels that are shown unchanged, though callers may not write them that way. */
const unnormalised: [string, string][] = [
  ["is not normalised", "Upper Case"],
  ["holds an emoji with a variation selector", "❤️❤️❤️"],
  ["holds letters of several scripts", "аlice-аlіce"],
  ["holds characters of no width", "zero\u200bwidth\u200d"],
  ["goes from right to left", "\u202eabc"],
  ["holds quotes, slashes and newlines", "'\"\\/\n\r\t%_"],
  ["has as many bytes as a resolver can be asked for", "☃".repeat(85)],
];

/** Labels that DNS wire format cannot hold. The wrapper accepts none of them, so they have their own tests. */
const tooLong: [string, string][] = [
  ["has a byte too many", `${"☃".repeat(85)}a`],
  ["is 10 KB long", "long".repeat(2560)],
  ["is longer than an index takes, and not repetitive", Array.from({ length: 3_000 }, (_, i) => i).join("x")],
];

describe.each(unprintable)("a label that %s", (_, label) => {
  const name = `${spelled(label)}.eth`;

  test("is registered, and shown by its hash", async () => {
    const { chain, cast } = stage;
    const receipt = await registerReferred(chain, { from: cast.bob, label });
    const answer = await expectWhoisAsOnChain(stage, name);
    expect(answer).toMatchObject({ name, label: spelled(label), availability_status: "registered" });
    const events = eventsOf(await stage.events(name), receipt);
    expect(events).toHaveLength(4);
    expect(events.at(-1)?.name).toBeUndefined();
  });

  test("is renewed, transferred and wrapped", async () => {
    const { chain, cast } = stage;
    await renewReferred(chain, { from: cast.bob, label });
    await renew(chain, { from: cast.bob, label, controller: "controller3" });
    await transferRegistration(chain, { from: cast.bob, label, to: cast.carol });
    await wrapETH2LD(chain, { from: cast.carol, label });
    await renew(chain, { from: cast.carol, label, controller: "controller4" });
    const answer = await expectWhoisAsOnChain(stage, name);
    expect(answer).toMatchObject({ name, ownership: { is_wrapped: true, owner: cast.carol } });
  });

  test("has subnames, in the registry and in the wrapper", async () => {
    const { chain, cast } = stage;
    const parent = ethNode(label);
    await setWrappedSubnodeOwner(chain, { from: cast.carol, parent, label: "fine", owner: cast.dave });
    expect((await expectWhoisAsOnChain(stage, `fine.${name}`)).name).toBe(`fine.${name}`);
    const drawer = ethNode("drawer");
    await setSubnodeOwner(chain, { from: cast.alice, parent: drawer, label, owner: cast.alice });
    const act = { from: cast.alice, parent: nodeBelow(drawer, label), label: "fine", owner: cast.bob };
    await setSubnodeOwner(chain, act);
    const deep = `fine.${spelled(label)}.drawer.eth`;
    expect((await expectWhoisAsOnChain(stage, deep)).name).toBe(deep);
  });

  test("is a subname of the wrapper", async () => {
    const { chain, cast } = stage;
    await setWrappedSubnodeOwner(chain, {
      from: cast.alice,
      parent: ethNode("shelf"),
      label: label as string,
      owner: cast.erin,
    });
    const shown = `${spelled(label)}.shelf.eth`;
    expect((await expectWhoisAsOnChain(stage, shown)).name).toBe(shown);
    const wrapped = (await stage.events(shown)).find(({ event_type }) => event_type === "NameWrapped");
    expect(wrapped?.name).toBe(shown);
  });
});

describe.each(unnormalised)("a label that %s", (_, label) => {
  const asked = `${spelled(label)}.eth`;

  test("is shown unchanged, because it is another name than its normalised form", async () => {
    const { chain, cast } = stage;
    const receipt = await registerReferred(chain, { from: cast.bob, label });
    const answer = await expectWhoisAsOnChain(stage, asked);
    expect(answer).toMatchObject({ name: `${label}.eth`, label, labelhash: hashLabel(label) });
    expect(eventsOf(await stage.events(asked), receipt).at(-1)?.name).toBe(`${label}.eth`);
  });

  test("has subnames whose names contain it", async () => {
    const { chain, cast } = stage;
    await setSubnodeOwner(chain, { from: cast.bob, parent: ethNode(label), label: "eth", owner: cast.dave });
    const answer = await expectWhoisAsOnChain(stage, `eth.${asked}`);
    expect(answer).toMatchObject({ name: `eth.${label}.eth`, parent_name: `${label}.eth` });
  });
});

describe.each(tooLong)("a label that %s", (_, label) => {
  const name = `${spelled(label)}.eth`;

  test("is registered, and shown by its hash", async () => {
    const { chain, cast } = stage;
    const receipt = await registerReferred(chain, { from: cast.bob, label });
    const answer = await expectWhoisAsOnChain(stage, name);
    expect(answer).toMatchObject({ name, label: spelled(label), labelhash: hashLabel(label) });
    const events = eventsOf(await stage.events(name), receipt);
    expect(events).toHaveLength(4);
    expect(events.at(-1)?.name).toBeUndefined();
    const learnt = await stage.sql("select from labels where labelhash = $1 and label is not null", [
      hashLabel(label),
    ]);
    expect(learnt).toEqual([]);
  });

  test("has subnames whose names do not contain it", async () => {
    const { chain, cast } = stage;
    await setSubnodeOwner(chain, { from: cast.bob, parent: ethNode(label), label: "eth", owner: cast.dave });
    const answer = await expectWhoisAsOnChain(stage, `eth.${name}`);
    expect(answer).toMatchObject({ name: `eth.${name}`, parent_name: name });
  });
});

test("a name written in capitals is requested as its normalised form", async () => {
  const { chain, cast } = stage;
  await registerV3(chain, { from: cast.bob, label: "Capital" });
  expect((await stage.whoisAbsent("Capital.eth")).availability_status).toBe("available");
  await registerV3(chain, { from: cast.carol, label: "capital" });
  const answer = await expectWhoisAsOnChain(stage, "capital.eth");
  expect((await stage.whois("CAPITAL.eth")).namehash).toBe(answer.namehash);
  expect(answer.ownership.owner).toBe(cast.carol);
});

test("an empty label is an ordinary name of the registry", async () => {
  const { chain, cast } = stage;
  await setSubnodeOwner(chain, { from: cast.alice, parent: ethNode("drawer"), label: "", owner: cast.bob });
  const name = `${spelled("")}.drawer.eth`;
  expect((await expectWhoisAsOnChain(stage, name)).name).toBe(name);
});

test("texts of such names are kept by their nodes", async () => {
  const { chain, cast } = stage;
  const label = "nul\0with-records";
  await registerReferred(chain, { from: cast.bob, label, resolver: "resolver5" });
  const act = { from: cast.bob, resolver: "resolver5", node: ethNode(label) };
  await setText(chain, { ...act, key: "url", value: "https://odd.example" });
  const place = { resolver: "resolver5", name: `${spelled(label)}.eth` };
  expect((await expectRecordsAsOnChain(stage, place)).texts).toEqual({ url: "https://odd.example" });
});

test("none of them counts as an undecodable log, except those that are not UTF-8", async () => {
  const rows = await stage.sql<{ node: string; anomaly: string }>(
    "select distinct node, anomaly from events where anomaly is not null order by node",
  );
  const anomaly = "the label does not hash to the labelhash";
  const nodes = [ethNode(notUtf8), ethNode(halfCharacter)].sort();
  expect(rows).toEqual(nodes.map((node) => ({ node, anomaly })));
});
