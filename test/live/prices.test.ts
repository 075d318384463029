import fc from "fast-check";
import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Deployment } from "../../abis/deployments.ts";
import {
  addController,
  addressOf,
  type Chain,
  DAY,
  freezeV1,
  GRACE,
  handOverV1,
  mineBlocks,
  removeController,
  send,
  YEAR,
} from "../../devnet/acts.ts";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import { create, double, startDeployment } from "../../devnet/deployer.ts";
import { deployBasenames, deployLineanames } from "../../devnet/deployLayer2.ts";
import { connect, startLocalChain } from "../../devnet/localChain.ts";
import { createPrices, type Seller } from "../../src/api/names/live/prices/priceTerms.ts";
import { sellersOf } from "../../src/api/names/live/prices/sellers.ts";
import { createRpc, type Rpc } from "../../src/api/names/live/rpc.ts";
import { type Priced, type PriceTerms, priceOf } from "../../src/api/names/rules/pricing.ts";
import { codePoints } from "../../src/ens/name.ts";

/** How many sales each oracle judges. */
const SALES = 400;

type Place = { anvil: Anvil; chain: Chain; deployment: Deployment["layer2"][number] };

let main: Awaited<ReturnType<typeof startLocalChain>>;
let base: Place;
let linea: Place;
let deployment: Deployment;
/** Chains whose nodes were asked, one entry per call. */
const asked: number[] = [];

beforeAll(async () => {
  [main, base, linea] = await Promise.all([
    startLocalChain({ contracts: { ensv2: true } }),
    startLayer2(8453, deployBasenames),
    startLayer2(59144, deployLineanames),
  ]);
  await addController(base.chain, {
    from: ownerOf(base.chain),
    controller: addressOf(base.chain, "controller1"),
  });
  await addController(base.chain, {
    from: ownerOf(base.chain),
    controller: addressOf(base.chain, "controller3"),
  });
  deployment = { ...main.deployment, layer2: [base.deployment, linea.deployment] };
});

afterAll(async () => {
  await Promise.all([main, base, linea].map((one) => one?.anvil.stop()));
});

async function startLayer2(chainId: number, deploy: typeof deployBasenames): Promise<Place> {
  const anvil = await startAnvil({ chainId, blockSeconds: 2 });
  const client = connect(anvil.url);
  const { chain, contracts } = await deploy(client);
  return {
    anvil,
    deployment: chain,
    chain: { client, accounts: await client.getAddresses(), contracts },
  };
}

const ownerOf = (chain: Chain): Address => chain.accounts[0] as Address;

/** Reads prices through nodes whose calls are counted. */
function openPrices(rpcOf: (url: string) => Rpc = (url) => createRpc({ urls: [url] })) {
  const places = new Map([main, base, linea].map((one) => [one.deployment.chainId, one.anvil.url]));
  const read = createPrices({
    sellers: sellersOf(deployment),
    reach: (chainId) => {
      const rpc = rpcOf(places.get(chainId) ?? "");
      const call: Rpc["call"] = (...args) => {
        asked.push(chainId);
        return rpc.call(...args);
      };
      return { rpc: { ...rpc, call }, signal: AbortSignal.timeout(10_000) };
    },
  });
  return async ({
    chain,
    deployment: { chainId },
  }: Pick<Place, "chain"> & { deployment: { chainId: number } }) => {
    const { number, timestamp } = await chain.client.getBlock();
    const prices = await read(chainId, { number: Number(number), timestamp: Number(timestamp) });
    if (prices === null) throw new Error(`no prices of ${chainId}`);
    return { ...prices, timestamp };
  };
}

const termsIn = (seller: Seller | null): PriceTerms => {
  if (!seller?.terms) throw new Error("no terms");
  return seller.terms;
};

/** A sale of a label whose name ended some seconds ago, ends in the future, or never existed. */
type Sale = { label: string; duration: bigint; ended: bigint | null };

/** Labels of one to twelve characters of one to four bytes each. */
const labels = fc
  .array(fc.constantFrom("a", "z", "0", "-", "é", "ß", "漢", "字", "😀", "𝒳"), {
    minLength: 1,
    maxLength: 12,
  })
  .map((characters) => characters.join(""));

const sales: fc.Arbitrary<Sale> = fc.record({
  label: labels,
  duration: fc.oneof(fc.bigInt(1n, 10n * YEAR), fc.constantFrom(YEAR, 2n * YEAR, 5n * YEAR)),
  ended: fc.oneof(
    fc.constant(null),
    fc.bigInt(-YEAR, YEAR),
    // Around the ends of grace and premium, and at whole days between.
    fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: -2, max: 2 }))
      .map(([days, seconds]) => GRACE + BigInt(days) * DAY + BigInt(seconds)),
    fc.bigInt(GRACE, GRACE + 22n * DAY),
  ),
});

const someSales = (): Sale[] => fc.sample(sales, SALES);

/** How many seconds the name has been available. */
const releasedOf = ({ ended }: Sale): bigint | null => (ended === null ? null : ended - GRACE);

const priced = (terms: PriceTerms, sale: Sale): Priced =>
  priceOf(terms, { length: codePoints(sale.label), duration: sale.duration, released: releasedOf(sale) });

/** Answers of the ENSv1 and layer 2 oracles, all at one block. */
async function judgePrices(
  place: Pick<Place, "chain">,
  {
    oracle,
    blockNumber,
    calls,
  }: { oracle: string; blockNumber: bigint; calls: readonly (readonly unknown[])[] },
) {
  const { address, abi } = place.chain.contracts[oracle] as Chain["contracts"][string];
  const answers = await Promise.all(
    calls.map((args) =>
      place.chain.client.readContract({ address, abi, functionName: "price", args: [...args], blockNumber }),
    ),
  );
  return answers as { base: bigint; premium: bigint }[];
}

describe("prices match those of the oracles", () => {
  test("for .eth names in ENSv1", async () => {
    const { controller, timestamp, block } = await openPrices()(main);
    const terms = termsIn(controller);
    expect([terms.in, controller?.contract]).toEqual(["usd", addressOf(main.chain, "controller5")]);
    const given = someSales();
    const answers = await judgePrices(main, {
      oracle: "priceOracle4",
      blockNumber: BigInt(block.number),
      calls: given.map(({ label, ended, duration }) => [
        label,
        ended === null ? 0n : timestamp - ended,
        duration,
      ]),
    });
    expect(given.map((sale) => priced(terms, sale).wei)).toEqual(answers);
    expect(answers.filter(({ premium }) => premium > 0n).length).toBeGreaterThan(SALES / 10);
  });

  test("for Basenames, with the newest authorised controller", async () => {
    const { controller, timestamp, block } = await openPrices()(base);
    const terms = termsIn(controller);
    expect([terms.in, controller?.contract]).toEqual(["wei", addressOf(base.chain, "controller3")]);
    const given = someSales();
    const answers = await judgePrices(base, {
      oracle: "priceOracle",
      blockNumber: BigInt(block.number),
      // Its controllers add the grace.
      calls: given.map(({ label, ended, duration }) => [
        label,
        ended === null ? 0n : timestamp - ended + GRACE,
        duration,
      ]),
    });
    expect(given.map((sale) => priced(terms, sale).wei)).toEqual(answers);
    expect(answers.filter(({ premium }) => premium > 0n).length).toBeGreaterThan(SALES / 10);
  });

  test("for Lineanames, which have no premium", async () => {
    const { controller, timestamp, block } = await openPrices()(linea);
    const given = someSales();
    const calls = given.map(({ label, ended, duration }) => [
      label,
      ended === null ? 0n : timestamp - ended,
      duration,
    ]);
    const blockNumber = BigInt(block.number);
    const answers = await judgePrices(linea, { oracle: "priceOracle", blockNumber, calls });
    const terms = termsIn(controller);
    expect(terms).toMatchObject({ in: "usd", premium: null });
    expect(given.map((sale) => priced(terms, sale).wei)).toEqual(answers);
    expect(answers.some(({ premium }) => premium > 0n)).toBe(false);
  });

  test("for .eth names in ENSv2, in each token, with discounts", async () => {
    const deployer = await startDeployment(main.chain.client);
    const rates = [0n, 0n, 20_294_266_869_609n, 5_073_566_717_402n, 253_678_335_870n];
    const points = [
      { duration: 2n * YEAR, numer: 950n },
      { duration: 5n * YEAR, numer: 801n },
    ];
    await create(deployer, "discountOracle", double("RentPriceOracleDouble"), [rates, points, 1_000n]);
    const oracle = deployer.places.get("discountOracle") as Chain["contracts"][string];
    const chain = { ...main.chain, contracts: { ...main.chain.contracts, discountOracle: oracle } };
    const from = ownerOf(chain);
    const tokens = { usdc: 10n ** 12n, dai: 1n };
    for (const [token, perUnit] of Object.entries(tokens)) {
      const args = [addressOf(chain, token), 1n, perUnit];
      await send(chain, { from, contract: "discountOracle", functionName: "updatePaymentToken", args });
    }
    await send(chain, {
      from,
      contract: "ethRegistrar",
      functionName: "setRentPriceOracle",
      args: [oracle.address],
    });
    const { registrar, block } = await openPrices()(main);
    const terms = termsIn(registrar);
    const given = someSales().filter(({ label }) => codePoints(label) >= 3);
    for (const token of Object.keys(tokens)) {
      const address = addressOf(chain, token).toLowerCase();
      const answers = await Promise.all(
        given.map((sale) =>
          main.chain.client.readContract({
            address: oracle.address,
            abi: oracle.abi,
            functionName: "getRegisterPrice",
            args: [sale.label, released(sale), sale.duration, addressOf(chain, token)],
            blockNumber: BigInt(block.number),
          }),
        ),
      );
      const computed = given.map((sale) => {
        const inV2 = { length: codePoints(sale.label), duration: sale.duration, released: released(sale) };
        const found = priceOf(terms, inV2).tokens.find((one) => one.token === address);
        return found && [found.base, found.premium];
      });
      expect(computed).toEqual(answers);
    }
  });
});

/** ENSv2 gives no price for a name before its grace is over. */
const released = ({ ended }: Sale): bigint => (ended === null || ended < 0n ? 1_000n * DAY : ended);

describe("the selling contracts are looked up at each block", () => {
  test("once for all callers, by two calls, plus one for a new oracle", async () => {
    const read = openPrices();
    asked.length = 0;
    await Promise.all([read(base), read(base), read(base)]);
    expect(asked).toHaveLength(2);
    await mineBlocks(base.chain, { count: 1 });
    await read(base);
    // Nothing changes in Base's oracle.
    expect(asked).toHaveLength(3);
    asked.length = 0;
    await Promise.all([read(linea), read(linea)]);
    await mineBlocks(linea.chain, { count: 1 });
    await read(linea);
    expect(asked).toHaveLength(5);
  });

  test("including another oracle of the controller, but no unknown one", async () => {
    const { chain } = base;
    const deployer = await startDeployment(chain.client);
    await create(deployer, "fixed", double("FixedPriceOracleDouble"));
    const fixed = (deployer.places.get("fixed") as { address: Address }).address;
    const setOracle = (oracle: Address) =>
      send(chain, {
        from: ownerOf(chain),
        contract: "controller3",
        functionName: "setPriceOracle",
        args: [oracle],
      });
    const read = openPrices();
    expect((await read(base)).controller?.oracle).toBe(addressOf(chain, "priceOracle").toLowerCase());
    await setOracle(fixed);
    expect((await read(base)).controller).toMatchObject({
      oracle: fixed.toLowerCase(),
      terms: { in: "fixed", wei: 10n ** 24n },
    });
    await setOracle(addressOf(chain, "registry"));
    expect((await read(base)).controller).toMatchObject({ terms: null });
    await setOracle(addressOf(chain, "priceOracle"));
    await removeController(chain, { from: ownerOf(chain), controller: addressOf(chain, "controller3") });
    expect((await read(base)).controller?.contract).toBe(addressOf(chain, "controller1"));
    await removeController(chain, { from: ownerOf(chain), controller: addressOf(chain, "controller1") });
    expect((await read(base)).controller).toBeNull();
  });

  test("including a changed price of ether, and a missing one", async () => {
    const { chain } = main;
    const setFeed = (value: bigint) =>
      send(chain, {
        from: ownerOf(chain),
        contract: "feedAggregator",
        functionName: "transmit",
        args: [value],
      });
    const read = openPrices();
    await setFeed(1_234_56789012n);
    expect(termsIn((await read(main)).controller)).toMatchObject({ usdPerEther: 1_234_56789012n });
    await setFeed(0n);
    expect((await read(main)).controller).toMatchObject({ terms: null });
    await setFeed(160_000_000_000n);
  });

  test("and an unknown premium curve counts as missing", async () => {
    const { chain } = main;
    const deployer = await startDeployment(chain.client);
    const rents = [0n, 0n, 3n, 2n, 1n];
    const curve = [100_000_001n * 10n ** 18n, 21n];
    const args = [addressOf(chain, "usdOracle"), rents, ...curve];
    await create(deployer, "other", double("PriceOracleDouble"), args);
    await create(deployer, "controller", double("ReferrerControllerDouble"), [
      addressOf(chain, "registrar"),
      (deployer.places.get("other") as { address: Address }).address,
      60n,
      DAY,
      addressOf(chain, "reverseRegistrar3"),
      addressOf(chain, "defaultReverseRegistrar"),
      addressOf(chain, "registry"),
    ]);
    const controller = (deployer.places.get("controller") as { address: Address }).address;
    await send(chain, {
      from: ownerOf(chain),
      contract: "registrar",
      functionName: "addController",
      args: [controller],
    });
    const contracts = [
      ...deployment.contracts,
      { role: "controller" as const, generation: 5, address: controller, startBlock: 0 },
    ];
    const read = createPrices({
      sellers: sellersOf({ ...deployment, contracts }),
      reach: () => ({ rpc: createRpc({ urls: [main.anvil.url] }), signal: AbortSignal.timeout(10_000) }),
    });
    const number = Number(await chain.client.getBlockNumber());
    expect((await read(deployment.chainId, { number, timestamp: 0 }))?.controller).toMatchObject({
      contract: controller,
      terms: null,
    });
  });

  test("with no controller after the freeze of ENSv1, and the renewer after the hand-over", async () => {
    const { chain } = main;
    const read = openPrices();
    expect(await read(main)).toMatchObject({ renewer: null });
    await freezeV1(chain, { from: ownerOf(chain) });
    expect(await read(main)).toMatchObject({ controller: null, renewer: null });
    await handOverV1(chain, { from: ownerOf(chain) });
    const prices = await read(main);
    expect(prices.controller).toBeNull();
    expect(prices.renewer?.contract).toBe(addressOf(chain, "renewerV1"));
    expect(prices.renewer?.terms).toMatchObject({ in: "tokens", discounts: [] });
  });
});

describe("a failing node", () => {
  test("is read again after three seconds, not by every request", async () => {
    const calls = { count: 0, isAway: true };
    const failing = (url: string): Rpc => {
      const rpc = createRpc({ urls: [url] });
      const call: Rpc["call"] = (...args) => {
        calls.count++;
        return calls.isAway ? createRpc({ urls: ["http://127.0.0.1:9"] }).call(...args) : rpc.call(...args);
      };
      return { ...rpc, call };
    };
    const read = openPrices(failing);
    for (let i = 0; i < 5; i++) await expect(read(linea)).rejects.toThrow("could not be asked");
    expect(calls.count).toBe(1);
    calls.isAway = false;
    await expect
      .poll(
        () =>
          read(linea).then(
            () => "read",
            () => "failed",
          ),
        { timeout: 10_000, interval: 100 },
      )
      .toBe("read");
  });

  test("that the operator has not configured is reported as such", async () => {
    const read = openPrices(() => createRpc({ urls: [] }));
    await expect(read(base)).rejects.toThrow("A price needs a node of the name's chain");
  });
});
