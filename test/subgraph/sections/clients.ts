import { zeroAddress } from "viem";
import { expect, test } from "vitest";
import { addressOf, nodeOf } from "../../../devnet/acts.ts";
import { judgeByClients } from "../../truth/judgeByClients.ts";
import { judgeByEnsjs } from "../../truth/judgeByEnsjs.ts";
import { readSubgraphNames } from "../../truth/subgraphNames.ts";
import { ask, stage } from "../stage.ts";

/* Queries of existing programs about every name and account of the story, as about those of random histories (test/truth). */

test("lists, filters, orders and variables of existing programs give what the contracts and their logs say", async () => {
  const { local, stack } = stage;
  const names = await readSubgraphNames(stack.url, local.chain);
  const verdicts = [await judgeByClients(stack, local, names), await judgeByEnsjs(stack, local, names)];
  expect(verdicts.flatMap(({ differences }) => differences)).toEqual([]);
  expect(verdicts[0]?.counts.queriesOfClients).toBeGreaterThan(50);
});

test("a resolver by an id with capitals does not exist, as on graph-node", async () => {
  const address = addressOf(stage.chain, "resolver5");
  const node = nodeOf("records.eth");
  const of = (id: string) => ask(`query q($id: ID!) { resolver(id: $id) { id texts } }`, { id });
  const id = `${address.toLowerCase()}-${node}`;
  expect(address).not.toBe(address.toLowerCase());
  expect(await of(`${address}-${node}`)).toEqual({ resolver: null });
  expect(await of(id)).toMatchObject({ resolver: { id } });
  expect(await of(`${zeroAddress}-${node}`)).toEqual({ resolver: null });
});
