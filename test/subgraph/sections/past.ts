import { zeroAddress } from "viem";
import { beforeAll, expect, inject, test } from "vitest";
import { chanceOf } from "../../../bench/api/chance.ts";
import {
  ethNode,
  nodeOf,
  registerReferred,
  renewReferred,
  setOwner,
  setResolver,
  setSubnodeOwner,
  setTTL,
  transferRegistration,
  transferWrapped,
  unwrap,
  writeRecord,
} from "../../../devnet/acts.ts";
import { isLong } from "../../support/size.ts";
import { loadModel, randomList } from "../randomLists.ts";
import { post, stage } from "../stage.ts";

/*
 * Lists at a past block: their content when it was the newest one, or an error. In between, every kind of change to a name
 * happens to one.
 */

const runs = isLong() ? 400 : 40;
let block: number;

beforeAll(async () => {
  const { chain, cast } = stage;
  await stage.stack.waitForHead();
  await loadModel();
  block = Number(await chain.client.getBlockNumber());
  const { alice, bob, carol, dave, frank } = cast;
  const resolver = "resolver5";
  await registerReferred(chain, { from: frank, label: "younger" });
  await transferRegistration(chain, { from: bob, label: "again", to: frank });
  await renewReferred(chain, { from: alice, label: "cleared" });
  await setSubnodeOwner(chain, { from: alice, parent: ethNode("records"), label: "gone", owner: dave });
  await setSubnodeOwner(chain, {
    from: alice,
    parent: ethNode("records"),
    label: "back",
    owner: zeroAddress,
  });
  await setSubnodeOwner(chain, { from: alice, parent: ethNode("records"), label: "made", owner: bob });
  await setOwner(chain, { from: bob, node: nodeOf("deep.one.records.eth"), owner: carol });
  await setTTL(chain, { from: bob, node: nodeOf("one.records.eth"), ttl: 5n });
  await setResolver(chain, { from: dave, node: nodeOf("moving.test"), resolver: zeroAddress });
  const write = { kind: "text", key: "later", value: "1" } as const;
  await writeRecord(chain, { from: alice, resolver, node: ethNode("records"), write });
  await unwrap(chain, { from: bob, parent: ethNode("records"), label: "two" });
  await transferWrapped(chain, { from: alice, to: dave, node: nodeOf("child.wrapped.eth") });
  await stage.stack.waitForHead();
});

test(`${runs} random lists at a past block are as they were, or refused (FUZZ_SEED=${inject("seed")})`, async () => {
  const chance = chanceOf(inject("seed"));
  let [answered, shown] = [0, 0];
  for (let run = 0; run < runs; run++) {
    const { query, variables, expected } = randomList(chance, block);
    const { data, errors, status } = await post(query, variables);
    expect(status).toBe(200);
    if (errors !== undefined) {
      expect(errors[0]?.message).toContain("only has data starting at block number");
      continue;
    }
    const list = data?.list ?? [];
    expect({ query, variables, list }).toEqual({ query, variables, list: expected });
    answered++;
    shown += expected.length;
  }
  expect(answered).toBeGreaterThan(runs / 4);
  expect(shown).toBeGreaterThan(runs / 2);
});
