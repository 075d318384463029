// Also runs as: long
import { getAddress, namehash, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { startLocalChain } from "../../devnet/localChain.ts";
import { sizeOf } from "../support/size.ts";
import { type Emission, emitterOn, logOf } from "./emittedLogs.ts";
import {
  ALICE,
  CAROL,
  ETH,
  foundations,
  hashOf,
  LATER,
  move,
  numberOf,
  REGISTRAR,
  ROOT,
  registryLog,
  USDC,
  withEnsv2,
} from "./ensv2Logs.ts";
import { lower, stageOf } from "./stage.ts";

/* Deployments of ENSv2 differ in which arguments of a log are indexed, under the same topics. */

const RESOLVER = getAddress(`0x${"51".repeat(20)}`);
const REFERRER = `0x${"ab".repeat(32)}` as const;
const layouts = ["2026-02", "2026-03", "2026-05"] as const;
type Layout = (typeof layouts)[number];

/** The signatures of a layout, which differ in indexed arguments. */
const signaturesOf = (layout: Layout) => {
  const [inRegistry, inRegistrar] = [
    layout === "2026-02" ? "" : " indexed",
    layout === "2026-05" ? " indexed" : "",
  ];
  return {
    expiry: `event ExpiryUpdated(uint256 indexed tokenId, uint64${inRegistry} newExpiry, address indexed sender)`,
    subregistry: `event SubregistryUpdated(uint256 indexed tokenId, address${inRegistry} subregistry, address indexed sender)`,
    resolver: `event ResolverUpdated(uint256 indexed tokenId, address${inRegistry} resolver, address indexed sender)`,
    registered: `event NameRegistered(uint256 indexed tokenId, string label, address owner, address subregistry, address resolver, uint64 duration, address paymentToken, bytes32${inRegistrar} referrer, uint256 base, uint256 premium)`,
    renewed: `event NameRenewed(uint256 indexed tokenId, string label, uint64 duration, uint64 newExpiry, address paymentToken, bytes32${inRegistrar} referrer, uint256 amount)`,
  };
};

/** A name that is bought and renewed, below an ETH registry linked at `eth`. */
function storyOf(layout: Layout): Emission[] {
  const signatures = signaturesOf(layout);
  const by = (
    address: `0x${string}`,
    signature: keyof typeof signatures,
    args: Record<string, unknown>,
  ): Emission => ({
    by: address,
    log: logOf(signatures[signature], args),
  });
  const label = "alice";
  const tokenId = numberOf(label);
  const [sender, duration] = [REGISTRAR, 365n * 86_400n];
  const paid = { tokenId, label, duration, paymentToken: USDC, referrer: REFERRER };
  return [
    ...foundations().filter(
      ({ log }) =>
        log.topics[0] !==
        logOf(signatures.subregistry, {
          tokenId,
          subregistry: ETH,
          sender,
        }).topics[0],
    ),
    by(ROOT, "subregistry", { tokenId: numberOf("eth"), subregistry: ETH, sender: CAROL }),
    registryLog(ETH, "LabelRegistered", {
      tokenId,
      labelHash: hashOf(label),
      label,
      owner: ALICE,
      expiry: 1_000n,
      sender,
    }),
    move(ETH, { from: `0x${"0".repeat(40)}`, to: ALICE, id: tokenId }),
    registryLog(ETH, "TokenResource", { tokenId, resource: tokenId }),
    by(ETH, "resolver", { tokenId, resolver: RESOLVER, sender }),
    by(REGISTRAR, "registered", {
      ...paid,
      owner: ALICE,
      subregistry: ROOT,
      resolver: RESOLVER,
      base: 8n,
      premium: 2n,
    }),
    by(ETH, "expiry", { tokenId, newExpiry: LATER, sender }),
    by(REGISTRAR, "renewed", { ...paid, newExpiry: LATER, amount: 5n }),
  ];
}

describe("logs in the layout of", () => {
  test.each(sizeOf({ short: layouts.slice(-1), long: [...layouts] }))("%s", async (layout) => {
    const local = await startLocalChain();
    const emit = await emitterOn(local.chain, local);
    await emit(...storyOf(layout));
    const stage = await stageOf({ ...local, deployment: withEnsv2(local, layout) });
    try {
      const [name] = await stage.sql(
        "select registry, effective_owner_address as owner, expiry_timestamp::text as expiry, resolver from domains where node = $1",
        [namehash("alice.eth")],
      );
      expect(name).toEqual({
        registry: lower(ETH),
        owner: lower(ALICE),
        expiry: String(LATER),
        resolver: lower(RESOLVER),
      });
      const bought = await stage.sql(
        "select event_type, amount::text, referrer from ensv2_purchases where node = $1 order by log_index",
        [namehash("alice.eth")],
      );
      expect(bought).toEqual([
        { event_type: "NameRegistered", amount: "10", referrer: REFERRER },
        { event_type: "NameRenewed", amount: "5", referrer: REFERRER },
      ]);
      expect(bought[0]?.referrer).not.toBe(zeroHash);
    } finally {
      await stage.close();
    }
  });
});
