import { expect, test } from "vitest";
import {
  addressOf,
  buyName,
  deployResolver,
  ethNode,
  GRACE_V2,
  PREMIUM,
  readEntry,
  registerEntry,
  renewName,
  warpTo,
  YEAR,
} from "../../../devnet/acts.ts";
import { expectAnswerAsOnChain } from "../ensv2Answers.ts";
import { lower } from "../stage.ts";
import { listOwners, stage } from "./stage.ts";

const at = (contract: string) => lower(addressOf(stage.chain, contract));

test("a name is bought and renewed for tokens", async () => {
  const { chain, cast } = stage;
  await buyName(chain, { from: cast.alice, label: "bought", token: "dai" });
  await expectAnswerAsOnChain(stage, "bought.eth");
  await renewName(chain, { from: cast.bob, label: "bought" });
  await expectAnswerAsOnChain(stage, "bought.eth");
  const purchases = await stage.sql<Record<string, unknown>>(
    `select p.event_type, p.payment_token, p.amount = coalesce(p.base + p.premium, p.amount) as is_sum,
       p.duration_seconds::int as seconds, e.contract,
       e.payment_token = p.payment_token and e.token_amount = p.amount as is_same
     from ensv2_purchases p join events e using (chain_id, block_number, log_index)
     where p.node = $1 order by p.block_number`,
    [ethNode("bought")],
  );
  const same = { is_sum: true, is_same: true, seconds: Number(YEAR), contract: "ENSV2_REGISTRAR" };
  expect(purchases).toEqual([
    { event_type: "NameRegistered", payment_token: at("dai"), ...same },
    { event_type: "NameRenewed", payment_token: at("usdc"), ...same },
  ]);
});

test("the registry's keeper registers a name for another account, without a payment", async () => {
  const { chain, cast } = stage;
  await registerEntry(chain, { from: cast.deployer, label: "given", owner: cast.bob, resolver: cast.carol });
  await expectAnswerAsOnChain(stage, "given.eth");
});

test("a name bought after its end starts afresh, with nothing of its last holder", async () => {
  const { chain, cast } = stage;
  await deployResolver(chain, { from: cast.alice, name: "ofLastHolder" });
  const resolver = addressOf(chain, "ofLastHolder");
  const subregistry = addressOf(chain, "ofLocked");
  await buyName(chain, { from: cast.alice, label: "passed-on", resolver, subregistry });
  const { expiry, tokenId } = await readEntry(chain, { label: "passed-on" });
  await warpTo(chain, { timestamp: expiry + GRACE_V2 + PREMIUM });
  await expectAnswerAsOnChain(stage, "passed-on.eth");
  await buyName(chain, { from: cast.bob, label: "passed-on" });
  const answer = await expectAnswerAsOnChain(stage, "passed-on.eth");
  expect(answer).toMatchObject({ ownership: { owner: cast.bob }, resolver: { status: "none" } });
  expect(answer.token_id).not.toBe(String(tokenId));
  expect((await listOwners("passed-on.eth")).map(([owner]) => owner)).toEqual(
    [cast.alice, cast.bob].map(lower),
  );
});
