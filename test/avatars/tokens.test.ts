import type { Address, Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import { double } from "../../devnet/deployer.ts";
import { connect } from "../../devnet/localChain.ts";
import { type Avatars, createAvatars } from "../../src/api/features/avatars/avatars.ts";
import { createRpc, type Rpc } from "../../src/api/names/live/rpc.ts";
import { account } from "../query/rows.ts";
import { dataUri, png, SVG } from "./pictures.ts";

const CHAIN_ID = 31337;
const HOLDER = account(0xa);

let anvil: Anvil;
let client: ReturnType<typeof connect>;
let avatars: Avatars;
let asked = 0;

beforeAll(async () => {
  anvil = await startAnvil({ blockSeconds: null, gasLimit: 500_000_000 });
  client = connect(anvil.url);
  avatars = createAvatars({
    ownHosts: [],
    allowLoopback: false,
    ipfsGateway: null,
    takeTurn: async () => {},
    chain: (id) => (id === CHAIN_ID ? { rpc: newRpc(), signal: AbortSignal.timeout(10_000) } : null),
  });
});
afterAll(async () => {
  await avatars?.close();
  await anvil?.stop();
});

/** A new client knows the newest block at once; an existing one takes a second to see another. */
function newRpc(): Rpc {
  const rpc = createRpc({ urls: [anvil.url] });
  const call: Rpc["call"] = (...args) => {
    asked++;
    return rpc.call(...args);
  };
  return { ...rpc, call };
}

type Said = { holder?: Address; size?: number };

/** A contract with this description, all of whose tokens belong to one address. */
async function deploy(description: string, { holder = HOLDER, size = 0 }: Said = {}): Promise<Address> {
  const [from] = await client.getAddresses();
  const { abi, bytecode } = double("PictureTokens");
  const args = [holder, description, BigInt(size)];
  const hash = await client.deployContract({
    account: from as Address,
    abi,
    bytecode,
    args,
    chain: null,
  } as never);
  const { contractAddress } = await client.waitForTransactionReceipt({ hash: hash as Hex });
  return contractAddress as Address;
}

const describedBy = (image: unknown) =>
  dataUri(JSON.stringify({ name: "A token", image }), "application/json");

async function find(text: string, holder: Address | null = HOLDER): Promise<string> {
  const found = await avatars.find({ text, holder }, "a caller");
  return typeof found === "string" ? found : found.type;
}

describe.each(["erc721", "erc1155"])("a token of %s", (standard) => {
  const uriOf = (contract: Address, id = 7n) => `eip155:${CHAIN_ID}/${standard}:${contract}/${id}`;

  test("shows its image for a name whose address holds it, and for no other", async () => {
    const text = uriOf(await deploy(describedBy(dataUri(png()))));
    expect(await find(text)).toBe("image/png");
    expect(await find(text, account(0xb))).toBe("none");
    expect(await find(text, null)).toBe("none");
  });

  test.each([
    ["an image that is SVG with a script", describedBy(dataUri(SVG, "image/svg+xml"))],
    ["an image that is another token", describedBy(`eip155:1/erc721:${account(1)}/1`)],
    ["an image that is no text", describedBy({ url: "https://pictures.example/" })],
    ["no image", describedBy(undefined)],
    ["no JSON", dataUri("{", "application/json")],
    ["JSON that is a list, or nothing", dataUri("null", "application/json")],
    ["JSON of nothing but brackets", dataUri("[".repeat(2_000), "application/json")],
    ["a picture in place of a description", dataUri(png())],
    ["a scheme of its own", "javascript:alert(1)"],
    ["nothing", ""],
  ])("has no image if it gives %s", async (_, description) => {
    expect(await find(uriOf(await deploy(description)))).toBe("none");
  });

  test("at a private host is not requested", async () => {
    expect(await find(uriOf(await deploy("http://127.0.0.1:1/1")))).toBe("unknown");
    expect(await find(uriOf(await deploy(describedBy("https://169.254.169.254/latest"))))).toBe("unknown");
  });

  test("whose description never ends is cut off at the limit", async () => {
    expect(await find(uriOf(await deploy("data:,", { size: 1_500_000 })))).toBe("unknown");
    const description = describedBy(dataUri(png()));
    expect(await find(uriOf(await deploy(description, { size: 340_000 })))).toBe("image/png");
    expect(await find(uriOf(await deploy(description, { size: 350_000 })))).toBe("none");
    expect(await find(uriOf(await deploy("{id}".repeat(1_000))))).toBe("none");
  });

  test("has no image without a contract, on another chain, or without a holder", async () => {
    expect(await find(uriOf(account(0xdead)))).toBe("none");
    const before = asked;
    expect(await find(`eip155:5/${standard}:${account(1)}/1`)).toBe("none");
    expect(asked).toBe(before);
    expect(await find(uriOf(await deploy(describedBy(dataUri(png())), { holder: account(0) })))).toBe("none");
  });
});
