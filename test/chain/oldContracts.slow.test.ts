import { type Address, type Hex, keccak256 } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Role } from "../../abis/deployments.ts";
import {
  addController,
  addressOf,
  type Chain,
  claimReverseWithResolver,
  dnsEncode,
  ethNode,
  hashLabel,
  nodeBelow,
  nodeOf,
  registerV3,
  reverseNode,
  send,
  setSubnodeOwner,
  useOldRegistrar,
} from "../../devnet/acts.ts";
import { archived, create, startDeployment, toContracts } from "../../devnet/deployer.ts";
import { startLocalChain } from "../../devnet/localChain.ts";
import { type Emit, emitterOn, logOf } from "./emittedLogs.ts";
import { lower, type Stage, stageOf } from "./stage.ts";

/*
 * Contracts of the first years that a deployment can list: the auctions of short names, registrars of DNS names and of subnames,
 * which spell labels out, and resolvers of reverse nodes that log nothing. The auction's controller and the resolvers are the
 * real contracts; log emitters replace the others.
 */

const DNS_2020 = "0x00000000000000000000000000000000000d2020";
const DNS_2024 = "0x00000000000000000000000000000000000d2024";
const SUBNAMES = "0x0000000000000000000000000000000000050b2a";

let stage: Stage;
let emit: Emit;

beforeAll(async () => {
  const local = await startLocalChain();
  const [deployer = "0x", alice = "0x"] = local.chain.accounts;
  const later = await startDeployment(local.chain.client);
  const registry = addressOf(local.chain, "registry");
  await create(later, "auctionController", archived("ethregistrar/ShortNameAuctionController"), [
    addressOf(local.chain, "oldRegistrar"),
    registry,
    alice,
  ]);
  await create(later, "silentResolver", archived("resolver/DefaultReverseResolver"), [registry]);
  await create(later, "silentResolver2017", archived("resolver/DefaultReverseResolver"), [registry]);
  const chain: Chain = { ...local.chain, contracts: { ...local.chain.contracts, ...toContracts(later) } };
  await addController(chain, {
    from: deployer,
    registrar: "oldRegistrar",
    controller: addressOf(chain, "auctionController"),
  });
  emit = await emitterOn(chain, { chain });
  const listed = (role: Role, generation: number, address: Address) => ({
    role,
    generation,
    address,
    startBlock: 0,
  });
  const deployment = {
    ...local.deployment,
    contracts: [
      ...local.deployment.contracts,
      listed("dns-registrar", 1, DNS_2020),
      listed("dns-registrar", 2, DNS_2024),
      listed("subdomain-registrar", 1, SUBNAMES),
      listed("reverse-resolver", 1, addressOf(chain, "silentResolver2017")),
    ],
  };
  stage = await stageOf({ ...local, chain, deployment });
});
afterAll(() => stage?.close());

const nameOf = async (node: Hex) => {
  const [row] = await stage.sql<{ full_name: string }>("select full_name from domains where node = $1", [
    node,
  ]);
  return row?.full_name;
};

const logsOf = (contract: string) =>
  stage.sql<Record<string, string | null>>(
    `select event_type, node, name, owner_address, cost_wei, details, anomaly from events
     where contract = $1 order by block_number, log_index`,
    [contract],
  );

test("a short name from the auctions has its label, its buyer, and no price", async () => {
  const { chain, cast } = stage;
  await useOldRegistrar(chain, { from: cast.deployer, registrar: "oldRegistrar" });
  await send(chain, {
    from: cast.alice,
    contract: "auctionController",
    functionName: "register",
    args: ["dapp", cast.bob],
  });
  expect(await nameOf(ethNode("dapp"))).toBe("dapp.eth");
  const sold = (await logsOf("CONTROLLER")).at(-1);
  expect(sold).toMatchObject({
    event_type: "NameRegistered",
    node: ethNode("dapp"),
    name: "dapp.eth",
    owner_address: lower(cast.bob),
    cost_wei: null,
    anomaly: null,
  });
  type History = { registrations: { cost_wei: string | null; owner_address: string }[] };
  const { body } = await stage.stack.api<History>("/domain/dapp.eth/registration-history");
  expect(body.registrations).toHaveLength(1);
  expect(body.registrations[0]).toMatchObject({
    cost_wei: null,
    owner_address: expect.stringMatching(new RegExp(cast.bob, "i")),
  });
});

describe("a DNS name", () => {
  const dnsClaim = "event Claim(bytes32 indexed node, address indexed owner, bytes dnsname)";
  const dnsClaimOf2024 =
    "event Claim(bytes32 indexed node, address indexed owner, bytes dnsname, uint32 inception)";

  test.each([
    [DNS_2020, dnsClaim, "example", {}],
    [DNS_2024, dnsClaim, "older-form", {}],
    [DNS_2024, dnsClaimOf2024, "sample", { inception: 1_700_000_000 }],
  ] as const)("is spelled out by its registrar %s", async (by, event, label, more) => {
    const { chain, cast } = stage;
    const xyz = nodeOf("xyz");
    const from = cast.deployer;
    await send(chain, {
      from,
      contract: "root",
      functionName: "setSubnodeOwner",
      args: [hashLabel("xyz"), from],
    });
    await setSubnodeOwner(chain, { from, parent: xyz, label, owner: cast.bob });
    const node = nodeBelow(xyz, label);
    const log = logOf(event, { node, owner: cast.bob, dnsname: dnsEncode([label, "xyz"]), ...more });
    await emit({ by, log });
    expect(await nameOf(node)).toBe(`${label}.xyz`);
    expect((await logsOf("DNS_REGISTRAR")).at(-1)).toMatchObject({
      event_type: "Claim",
      node,
      name: `${label}.xyz`,
      owner_address: lower(cast.bob),
      details: JSON.stringify(more),
      anomaly: null,
    });
  });

  test("is not spelled out by a name of another node", async () => {
    const { cast } = stage;
    const args = { node: nodeOf("sample.xyz"), owner: cast.bob, dnsname: dnsEncode(["other", "xyz"]) };
    await emit({ by: DNS_2020, log: logOf(dnsClaim, args) });
    expect((await logsOf("DNS_REGISTRAR")).at(-1)).toMatchObject({
      name: null,
      anomaly: "the DNS name is not that of the node",
    });
    const labels = await stage.sql("select from labels where labelhash = $1", [hashLabel("other")]);
    expect(labels).toEqual([]);
  });
});

test("a subname sold by a subname registrar has its label", async () => {
  const { chain, cast } = stage;
  await registerV3(chain, { from: cast.alice, label: "seller" });
  const node = nodeBelow(ethNode("seller"), "shop-7");
  await setSubnodeOwner(chain, {
    from: cast.alice,
    parent: ethNode("seller"),
    label: "shop-7",
    owner: cast.bob,
  });
  expect(await nameOf(node)).not.toBe("shop-7.seller.eth");
  const args = {
    label: hashLabel("seller"),
    subdomain: "shop-7",
    owner: cast.bob,
    referrer: cast.carol,
    price: 5n,
  };
  const event =
    "event NewRegistration(bytes32 indexed label, string subdomain, address indexed owner, address indexed referrer, uint256 price)";
  await emit({ by: SUBNAMES, log: logOf(event, args) });
  expect(await nameOf(node)).toBe("shop-7.seller.eth");
  const [row] = await logsOf("SUBDOMAIN_REGISTRAR");
  expect(row).toMatchObject({ node, owner_address: lower(cast.bob), cost_wei: null });
  expect(JSON.parse(row?.details ?? "")).toMatchObject({ subdomain: "shop-7", price: "5" });
});

test("a data record is an event with its key and the hash of its value", async () => {
  const node = ethNode("dapp");
  const event =
    "event DataChanged(bytes32 indexed node, string indexed indexedKey, string key, bytes indexed indexedData)";
  const args = { node, indexedKey: "accounts[1]", key: "accounts[1]", indexedData: "0x1234" };
  await emit({ by: SUBNAMES, log: logOf(event, args) });
  const [row] = await stage.sql<Record<string, string>>(
    "select contract, node, key, details, anomaly from events where event_type = 'DataChanged'",
  );
  expect(row).toMatchObject({ contract: "RESOLVER", node, key: "accounts[1]", anomaly: null });
  expect(JSON.parse(row?.details ?? "")).toEqual({ dataHash: keccak256("0x1234") });
});

describe("the name at a resolver that logs nothing", () => {
  const named = async (from: Address, resolver: string, name: string) => {
    const { chain } = stage;
    await claimReverseWithResolver(chain, { from, owner: from, resolver: addressOf(chain, resolver) });
    await send(chain, {
      from,
      contract: resolver,
      functionName: "setName",
      args: [reverseNode(from), name],
    });
  };

  test.each([
    ["of 2017, which the deployment lists", "silentResolver2017", "carol"],
    ["that the deployment does not list", "silentResolver", "dave"],
  ] as const)("%s is unknown, and the chain is asked for it", async (_, resolver, who) => {
    const address = stage.cast[who];
    await registerV3(stage.chain, { from: address, label: `${who}s` });
    await named(address, resolver, `${who}s.eth`);
    const rows = await stage.sql(
      "select name, is_name_known, registrar from primary_names where address = $1",
      [lower(address)],
    );
    expect(rows).toEqual([{ name: null, is_name_known: false, registrar: "REVERSE_REGISTRAR" }]);
    const history = await stage.sql(
      "select name, is_name_known from primary_name_changes where address = $1",
      [lower(address)],
    );
    expect(history).toEqual([{ name: null, is_name_known: false }]);
  });

  test("counts as unknown", async () => {
    type Registrar = { registrar: string; unknown: number };
    const { body } = await stage.stack.api<Record<string, Registrar[]>>("/ens-stats/primary-names");
    const [registrars = []] = Object.values(body).filter(Array.isArray);
    expect(registrars.find(({ registrar }) => registrar === "REVERSE_REGISTRAR")).toMatchObject({
      unknown: 2,
    });
  });
});
