import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Abi,
  type Address,
  createTestClient,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  getCreate2Address,
  type Hex,
  http,
  keccak256,
  pad,
  publicActions,
  walletActions,
} from "viem";
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { serializeErc6492Signature } from "viem/utils";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import { type RpcProxy, startRpcProxy } from "../live/rpcProxy.ts";
import { type Signer, type SignupService, startSignupService } from "./signupService.ts";

type Artifact = { abi: Abi; bytecode: Hex };
const artifact = (name: string): Artifact =>
  JSON.parse(
    readFileSync(new URL(`../../devnet/contracts/compiled/${name}.json`, import.meta.url), "utf8"),
  ) as Artifact;

let anvil: Anvil;
let node: RpcProxy;
let service: SignupService;
const owner = privateKeyToAccount(generatePrivateKey());
const payer = mnemonicToAccount("test test test test test test test test test test test junk");

beforeAll(async () => {
  anvil = await startAnvil();
  node = await startRpcProxy(anvil.url);
  service = await startSignupService({ rpcUrls: [node.url] });
});
afterAll(async () => {
  await service?.close();
  await node?.kill();
  await anvil?.stop();
});
beforeEach(() => {
  node.fault = () => undefined;
  node.recorded.length = 0;
});

async function deploy(name: string, args: unknown[]): Promise<Address> {
  const client = createTestClient({ account: payer, mode: "anvil", transport: http(anvil.url) })
    .extend(publicActions)
    .extend(walletActions);
  const hash = await client.deployContract({ ...artifact(name), args, chain: null });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error(`${name} was not deployed`);
  return getAddress(contractAddress);
}

/** A wallet of the owner's, signing as its owner. */
const walletAt = (address: Address): Signer => ({ address, signMessage: owner.signMessage });

async function attempt(wallet: Signer) {
  const message = await service.messageFor(wallet);
  return service.post("/signup", { message, signature: await wallet.signMessage({ message }) });
}

const notItsOwn = {
  status: 400,
  body: {
    error: {
      code: "INVALID_PARAMETER",
      message: expect.stringMatching(/not from the address in the message/),
    },
  },
};

describe("a smart-contract wallet", () => {
  test("signs up by its contract's validation (ERC-1271)", async () => {
    const wallet = walletAt(await deploy("SmartWallet", [owner.address]));
    const reply = await attempt(wallet);
    expect(reply).toMatchObject({
      status: 200,
      body: { address: wallet.address, credits: 1_000, is_first: true },
    });
    expect(await attempt(wallet)).toMatchObject({ status: 200, body: { is_first: false } });
  });

  test("is refused if another account signed", async () => {
    const address = await deploy("SmartWallet", [owner.address]);
    const stranger = privateKeyToAccount(generatePrivateKey());
    expect(await attempt({ address, signMessage: stranger.signMessage })).toMatchObject(notItsOwn);
  });

  test.each([64, 65, 3_000])("is refused with %i bytes that are not a signature", async (size) => {
    const address = await deploy("SmartWallet", [owner.address]);
    expect(await attempt({ address, signMessage: async () => `0x${"ff".repeat(size)}` })).toMatchObject(
      notItsOwn,
    );
  });

  test("signs up before it is deployed (ERC-6492)", async () => {
    const factory = await deploy("SmartWalletFactory", []);
    const bytecode = encodeDeployData({ ...artifact("SmartWallet"), args: [owner.address] });
    const address = getCreate2Address({
      from: factory,
      salt: pad("0x0"),
      bytecodeHash: keccak256(bytecode),
    });
    const data = encodeFunctionData({
      abi: artifact("SmartWalletFactory").abi,
      functionName: "deploy",
      args: [owner.address],
    });
    const wrapped = (by: Signer): Signer => ({
      address,
      signMessage: async (asked) =>
        serializeErc6492Signature({ address: factory, data, signature: await by.signMessage(asked) }),
    });
    const stranger = privateKeyToAccount(generatePrivateKey());
    expect(await attempt(wrapped(stranger))).toMatchObject(notItsOwn);
    expect(await attempt(wrapped(owner))).toMatchObject({ status: 200, body: { address } });
  });

  test("cannot send the service to another server (CCIP-Read)", async () => {
    const asked: string[] = [];
    const server: Server = createServer((request, response) => {
      asked.push(String(request.url));
      response.end(JSON.stringify({ data: "0x" }));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const address = await deploy("LookupWallet", [`http://127.0.0.1:${port}/{sender}/{data}`]);
    expect(await attempt(walletAt(address))).toMatchObject(notItsOwn);
    expect(asked).toEqual([]);
    server.close();
  });

  test("on another chain is refused: its message has to name ours", async () => {
    const wallet = walletAt(await deploy("SmartWallet", [owner.address]));
    const message = await service.messageFor(wallet, { chainId: 10 });
    const reply = await service.post("/signup", {
      message,
      signature: await wallet.signMessage({ message }),
    });
    expect(reply).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/Chain ID/) } },
    });
  });
});

describe("the node", () => {
  const notAsked = { status: 502, body: { error: { code: "LIVE_RESOLUTION_FAILED" } } };

  test("is not asked about an account's own signature, nor with an unknown nonce", async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    expect((await attempt(account)).status).toBe(200);
    const wallet = walletAt(await deploy("SmartWallet", [owner.address]));
    const message = await service.messageFor(wallet, { nonce: "0123456789abcdef" });
    const reply = await service.post("/signup", {
      message,
      signature: await wallet.signMessage({ message }),
    });
    expect(reply.status).toBe(400);
    expect(node.recorded).toEqual([]);
  });

  test.each([
    ["closes the connection", { close: true as const }],
    ["answers 503", { status: 503 }],
    ["refuses by its limits", { error: { code: -32_005, message: "limit exceeded" } }],
    ["answers nonsense", { status: 200, body: "<html>" }],
  ])("that %s does not count as the wallet's refusal; the same message is valid later", async (_, fault) => {
    const wallet = walletAt(await deploy("SmartWallet", [owner.address]));
    const message = await service.messageFor(wallet);
    const body = { message, signature: await wallet.signMessage({ message }) };
    node.fault = () => fault;
    expect(await service.post("/signup", body)).toMatchObject(notAsked);
    node.fault = () => undefined;
    expect((await service.post("/signup", body)).status).toBe(200);
  });

  test("that hangs is given up", async () => {
    const wallet = walletAt(await deploy("SmartWallet", [owner.address]));
    node.fault = () => ({ hang: true });
    expect(await attempt(wallet)).toMatchObject(notAsked);
  });

  test("that reports a revert in its own words is believed", async () => {
    const wallet = walletAt(await deploy("SmartWallet", [owner.address]));
    node.fault = () => ({ error: { code: -32_015, message: "VM execution error.", data: "Reverted 0x" } });
    expect(await attempt(wallet)).toMatchObject(notItsOwn);
  });
});
