import { beforeAll, expect, test } from "vitest";
import {
  approveOperator,
  attempt,
  buyName,
  DAY,
  readEntry,
  transferEntries,
  transferEntry,
  warpTo,
  YEAR,
} from "../../../devnet/acts.ts";
import { expectAnswerAsOnChain } from "../ensv2Answers.ts";
import { lower } from "../stage.ts";
import { listOwners, stage } from "./stage.ts";

beforeAll(async () => {
  const { chain, cast } = stage;
  for (const label of ["sold", "kept"])
    await buyName(chain, { from: cast.alice, label, duration: 5n * YEAR });
});

const holders = async (name: string) => (await listOwners(name)).map(([owner]) => owner);

test("a token is sold", async () => {
  const { chain, cast } = stage;
  await transferEntry(chain, { from: cast.alice, label: "sold", to: cast.bob });
  await expectAnswerAsOnChain(stage, "sold.eth");
  expect(await holders("sold.eth")).toEqual([cast.alice, cast.bob].map(lower));
});

test("a token is sold by an operator of its holder", async () => {
  const { chain, cast } = stage;
  await approveOperator(chain, { from: cast.bob, operator: cast.dave });
  await transferEntry(chain, { from: cast.dave, owner: cast.bob, label: "sold", to: cast.carol });
  expect((await expectAnswerAsOnChain(stage, "sold.eth")).ownership.owner).toBe(cast.carol);
});

test("a transfer of nothing changes nothing, alone and among others", async () => {
  const { chain, cast } = stage;
  const { alice: from, bob: to, carol } = cast;
  await transferEntry(chain, { from, label: "kept", to, value: 0n });
  expect((await expectAnswerAsOnChain(stage, "kept.eth")).ownership.owner).toBe(from);
  await transferEntry(chain, { from: carol, label: "sold", to: from });
  const entries = [{ label: "kept", value: 0n }, { label: "sold" }];
  await transferEntries(chain, { from, to, entries });
  expect((await expectAnswerAsOnChain(stage, "kept.eth")).ownership.owner).toBe(from);
  expect((await expectAnswerAsOnChain(stage, "sold.eth")).ownership.owner).toBe(to);
  expect(await holders("kept.eth")).toEqual([lower(from)]);
});

test("a name that ended cannot be sold, and keeps its last holder", async () => {
  const { chain, cast } = stage;
  const { alice: from, bob: to } = cast;
  await buyName(chain, { from, label: "unsold", duration: 28n * DAY });
  const { expiry, tokenId } = await readEntry(chain, { label: "unsold" });
  await warpTo(chain, { timestamp: expiry });
  const sale = await attempt(() => transferEntry(chain, { from, label: "unsold", to, tokenId }));
  expect(sale.outcome).toBe("reverted");
  expect((await expectAnswerAsOnChain(stage, "unsold.eth")).availability_status).toBe("grace");
});
