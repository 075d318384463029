import {
  type Address,
  concat,
  createTestClient,
  type Hex,
  http,
  pad,
  publicActions,
  walletActions,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { knownDeployments } from "../../abis/deployments.ts";
import { ETH_NODE, hashLabel } from "../../devnet/acts.ts";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import { type Stack, startStack } from "../support/stack.ts";

/*
 * A test cannot have Ethereum mainnet, but it can have its first blocks with ENS: a chain with mainnet's id and block numbers,
 * and at the true address of the first registry a contract that logs what it is told to.
 */

/** Logs its calldata: three words of topics, then the data. */
const emitter = "0x3660609003806060600037604035602035600035836000a300";

const NEW_OWNER = "0xce0457fe73731f824cc272376169235128c118b49d344817417c6d108d155e82";
const registry: Address = "0x314159265dD8dbb310642f98f50C066173C1259b";
const owner: Address = "0x6090A6e47849629b7245Dfa1Ca21D94cd15878Ef";

let anvil: Anvil;
let stack: Stack;
let transaction: Hex;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 1, firstBlock: 3_327_410, timestamp: 1_489_200_000 });
  const client = createTestClient({ mode: "anvil", transport: http(anvil.url) })
    .extend(publicActions)
    .extend(walletActions);
  const [account] = await client.getAddresses();
  if (account === undefined) throw new Error("anvil has no accounts");
  await client.setCode({ address: registry, bytecode: emitter });
  await client.mine({ blocks: 20 });
  transaction = await client.sendTransaction({
    account,
    chain: null,
    to: registry,
    data: concat([NEW_OWNER, pad("0x"), hashLabel("eth"), pad(owner)]),
  });
  await client.mine({ blocks: 80 }); // Ponder treats mainnet's blocks as final after 65.
  stack = await startStack({
    rpcUrl: anvil.url,
    deployment: knownDeployments.mainnet(),
    // Blocks of 2017 are old by the clock.
    env: { ENS_NETWORK: "mainnet", ENS_DEPLOYMENT: "", LIVE_RPC_URL: "off", MAX_LAG_SECONDS: "off" },
  });
});

afterAll(async () => {
  await stack?.destroy();
  await anvil?.stop();
});

describe("with ENS_NETWORK=mainnet", () => {
  test("the first registry is indexed from its true address and its true block on", async () => {
    const { body } = await stack.api(`/lookup-namehash/${ETH_NODE}?partial=true`);
    expect(body).toMatchObject({ name: "eth", ownership: { owner } });
    const { body: history } = await stack.api<{ events: unknown[] }>("/domain/eth/events");
    expect(history.events).toMatchObject([
      { contract: "REGISTRY_OLD", event_type: "NewOwner", transaction_hash: transaction, chain: "mainnet" },
    ]);
  });

  test("with the chain switched off, the index answers with certain facts if asked for a partial answer", async () => {
    expect((await stack.api("/whois/eth")).status).toBe(502);
    expect((await stack.api("/whois/eth?partial=true")).body).toMatchObject({
      name: "eth",
      ownership: { owner },
      resolver: { status: "none" },
      source: "indexed",
      unresolved: [{ part: "display" }, { part: "resolver.answered_by" }],
    });
  });

  test("facts that only the chain has are not made up: the error names the variable that switches it off", async () => {
    const { status, body } = await stack.api("/domain/eth/records");
    expect(status).toBe(502);
    expect(body).toMatchObject({
      error: { code: "LIVE_RESOLUTION_FAILED", message: expect.stringContaining("LIVE_RPC_URL") },
    });
  });

  test("`/stats` names the chain", async () => {
    expect((await stack.api("/stats")).body).toMatchObject({ name: "mainnet" });
  });
});
