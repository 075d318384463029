import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Chain } from "../../devnet/acts.ts";
import { fixBlockTimes, setLayer2Name, setReverseName, useReverseRegistrar } from "../../devnet/acts.ts";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import { deployLayer2 } from "../../devnet/deployLayer2.ts";
import { connect, startLocalChain } from "../../devnet/localChain.ts";
import { lower, type Stage, stageOf } from "./stage.ts";

const LAYER_2 = 31_338;
const DEFAULT_COIN_TYPE = 0x80000000;

/* What no random history has: test/truth/judgePrimaryNames.ts compares all other claims with the registrars and resolvers. */

let stage: Stage;
let layer2: { anvil: Anvil; chain: Chain };
beforeAll(async () => {
  const local = await startLocalChain({ contracts: { layer2ReverseRegistrar: true } });
  const anvil = await startAnvil({ chainId: LAYER_2 });
  const client = connect(anvil.url);
  const { chain, contracts } = await deployLayer2(client, { name: "layer-two" });
  layer2 = { anvil, chain: { client, accounts: local.chain.accounts, contracts } };
  await fixBlockTimes(layer2.chain);
  await setLayer2Name(layer2.chain, { from: local.chain.accounts[1] as Address, name: "before.eth" });
  stage = await stageOf(
    { ...local, deployment: { ...local.deployment, layer2: [chain] } },
    { env: { [`RPC_URL_${LAYER_2}`]: anvil.url } },
  );
});
afterAll(async () => {
  await stage?.close();
  await layer2?.anvil.stop();
});

type Claim = { coin_type: string; name: string | null; is_name_known: boolean; registrar: string };

/** Claims of an address, by coin type. */
const listClaims = (address: Address) =>
  stage.sql<Claim>(
    "select coin_type, name, is_name_known, registrar from primary_names where address = $1 order by coin_type",
    [lower(address)],
  );

test("the history of an address has each claim, also a repeated one", async () => {
  const { chain, cast } = stage;
  for (const name of ["dave.eth", "dave.eth", ""]) await setReverseName(chain, { from: cast.dave, name });
  const rows = await stage.sql(
    "select name from primary_name_changes where address = $1 order by block_number, log_index",
    [lower(cast.dave)],
  );
  expect(rows.map(({ name }) => name)).toEqual(["dave.eth", "dave.eth", null]);
});

test("a name at a reverse resolver that logs nothing is read, and is not certain", async () => {
  const { chain, cast } = stage;
  const registrar = "reverseRegistrar2";
  await useReverseRegistrar(chain, { from: cast.deployer, registrar });
  await setReverseName(chain, { from: cast.carol, name: "carol.eth", registrar });
  const claim = { coin_type: "60", name: "carol.eth", is_name_known: false, registrar: "REVERSE_REGISTRAR" };
  expect(await listClaims(cast.carol)).toEqual([claim]);
  const later = await setReverseName(chain, { from: cast.carol, name: "caroline.eth", registrar });
  expect(later.logs).toEqual([]);
  expect(await listClaims(cast.carol)).toEqual([claim]);
});

describe("an address takes a name on a layer 2", () => {
  /** The API waits for the head of the main chain, and not for this one's. */
  const SOON = { timeout: 60_000 };
  const claimOn = async (address: Address, chainId: number) =>
    (await listClaims(address)).find(({ coin_type }) => Number(coin_type) === DEFAULT_COIN_TYPE + chainId);

  test("before Namedex was started, with its chain's coin type", async () => {
    await expect
      .poll(() => claimOn(stage.cast.alice, LAYER_2), SOON)
      .toMatchObject({ name: "before.eth", registrar: "L2_REVERSE_REGISTRAR" });
  });

  test("while Namedex runs", async () => {
    await setLayer2Name(layer2.chain, { from: stage.cast.bob, name: "bob.eth" });
    await expect.poll(() => claimOn(stage.cast.bob, LAYER_2), SOON).toMatchObject({ name: "bob.eth" });
    const [event] = await stage.sql(
      "select contract, chain_id from events where chain_id = $1 and name = $2",
      [LAYER_2, "bob.eth"],
    );
    expect(event).toEqual({ contract: "L2_REVERSE_REGISTRAR", chain_id: LAYER_2 });
  });

  test("that differs from the one on the main chain", async () => {
    const { chain, cast } = stage;
    await setLayer2Name(chain, { from: cast.bob, name: "main.eth" });
    expect((await claimOn(cast.bob, 31_337))?.name).toBe("main.eth");
    expect((await claimOn(cast.bob, LAYER_2))?.name).toBe("bob.eth");
  });
});
