import type { Chain } from "./acts.ts";
import {
  addressOf,
  buyLineaname,
  DAY,
  FUSES,
  lineanameNode,
  MAX_EXPIRY,
  nodeBelow,
  registerByOwner,
  registerByPerson,
  renewByPerson,
  renewLineaname,
  setFuses,
  setLayer2Name,
  setSubnodeOwner,
  setText,
  setWrappedSubnodeRecord,
  transferWrapped,
  unwrapETH2LD,
  wrapETH2LD,
  writeRecords,
  YEAR,
} from "./acts.ts";
import { type Cast, type Chapter, playChapters, type Telling } from "./chapters.ts";

/** Names below `linea.eth` of the demo, by label, with what each is there to show. */
export const lineanames: Record<string, string> = {
  alice: "bought wrapped, with records; renewed for more than the price",
  human: "the free name of a proved person",
  official: "registered by the controller's owner",
  person: "bought, then renewed for nothing by a proved person",
  fused: "wrapped, with fuses burnt",
  bare: "unwrapped; renewed through the wrapper all the same",
  rewrapped: "unwrapped, then wrapped again",
  given: "its token was transferred in the wrapper",
  reborn: "expired, then bought by another owner",
  grace: "expired 30 days ago: only a renewal is possible",
};

/** Plays Lineanames' story on a chain with its contracts. */
export async function playLinea(chain: Chain, telling: Telling): Promise<void> {
  await playChapters(chain, chapters, telling);
}

const chapters: readonly Chapter[] = [
  { day: 10n, title: "alice.linea.eth", play: playAlice },
  { day: 20n, title: "names of Linea without a price", play: playFree },
  { day: 40n, title: "names of Linea that will expire", play: playFirstLives },
  { day: 200n, title: "fused.linea.eth", play: playFused },
  { day: 300n, title: "bare.linea.eth", play: playBare },
  { day: 380n, title: "person.linea.eth", play: playPerson },
  { day: 600n, title: "reborn.linea.eth", play: playReborn },
  { day: 605n, title: "grace.linea.eth", play: playGrace },
  { day: 800n, title: "primary names on Linea", play: playPrimaryNames },
];

async function playAlice({ chain, alice }: Cast): Promise<void> {
  const label = "alice";
  await buyLineaname(chain, {
    from: alice,
    label,
    duration: 4n * YEAR,
    reverseRecord: true,
    records: [
      { kind: "addr", address: alice },
      { kind: "text", key: "description", value: "Alice on Linea" },
    ],
  });
  await renewLineaname(chain, { from: alice, label, value: 10n ** 18n });
}

async function playFree({ chain, deployer, bob, carol }: Cast): Promise<void> {
  await registerByPerson(chain, {
    from: bob,
    label: "human",
    records: [{ kind: "addr", address: bob }],
  });
  await registerByOwner(chain, { from: deployer, label: "official", owner: carol, duration: 5n * YEAR });
}

/** `person` expires on day 405, as `reborn` does. */
async function playFirstLives({ chain, alice, bob }: Cast): Promise<void> {
  await buyLineaname(chain, { from: bob, label: "person" });
  await buyLineaname(chain, {
    from: alice,
    label: "reborn",
    records: [{ kind: "text", key: "description", value: "the first life" }],
  });
}

async function playFused({ chain, start, alice, bob }: Cast): Promise<void> {
  const { CANNOT_UNWRAP, CANNOT_SET_TTL, PARENT_CANNOT_CONTROL } = FUSES;
  const [label, resolver, node] = ["fused", "resolver", lineanameNode("fused")];
  await buyLineaname(chain, { from: alice, label, duration: 4n * YEAR });
  await setFuses(chain, { from: alice, node, fuses: CANNOT_UNWRAP | CANNOT_SET_TTL });
  const child = { from: alice, parent: node, resolver: addressOf(chain, resolver) };
  await setWrappedSubnodeRecord(chain, {
    ...child,
    label: "sub",
    owner: bob,
    fuses: PARENT_CANNOT_CONTROL | CANNOT_UNWRAP,
    expiry: start + 1_200n * DAY,
  });
  await setWrappedSubnodeRecord(chain, {
    ...child,
    label: "loose",
    owner: bob,
    fuses: 0,
    expiry: MAX_EXPIRY,
  });
  const sub = nodeBelow(node, "sub");
  await setText(chain, { from: bob, resolver, node: sub, key: "url", value: "https://sub.fused.example" });
}

/** A name out of the wrapper can still be renewed through it: of the wrapper's own expiry nothing is left to extend. */
async function playBare({ chain, alice, bob, carol }: Cast): Promise<void> {
  const duration = 3n * YEAR;
  for (const label of ["bare", "rewrapped", "given"]) {
    await buyLineaname(chain, { from: alice, label, duration });
  }
  for (const label of ["bare", "rewrapped"]) {
    await unwrapETH2LD(chain, { from: alice, label, registrant: alice, controller: alice });
  }
  await renewLineaname(chain, { from: bob, label: "bare" });
  await setSubnodeOwner(chain, { from: alice, parent: lineanameNode("bare"), label: "plain", owner: bob });
  await wrapETH2LD(chain, { from: alice, label: "rewrapped" });
  await transferWrapped(chain, { from: alice, node: lineanameNode("given"), to: carol });
}

async function playPerson({ chain, bob }: Cast): Promise<void> {
  await renewByPerson(chain, { from: bob, label: "person" });
}

async function playReborn({ chain, bob }: Cast): Promise<void> {
  await buyLineaname(chain, {
    from: bob,
    label: "reborn",
    duration: 3n * YEAR,
    records: [{ kind: "text", key: "description", value: "the second life" }],
  });
}

/** Expires on day 970, 30 days before the present. */
async function playGrace({ chain, carol }: Cast): Promise<void> {
  await buyLineaname(chain, { from: carol, label: "grace" });
}

async function playPrimaryNames({ chain, alice, bob }: Cast): Promise<void> {
  await setLayer2Name(chain, { from: alice, name: "alice.linea.eth" });
  await setLayer2Name(chain, { from: bob, name: "human.linea.eth" });
  const [resolver, node] = ["resolver", lineanameNode("alice")];
  await writeRecords(chain, {
    from: alice,
    resolver,
    node,
    writes: [
      { kind: "text", key: "url", value: "https://alice.linea.example" },
      { kind: "text", key: "description", value: "" },
    ],
  });
}
