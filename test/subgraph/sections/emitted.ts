import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from "viem";
import { beforeAll, expect, test } from "vitest";
import { addressOf, ethNode, registerReferred, send, setResolver } from "../../../devnet/acts.ts";
import { ask, stage } from "../stage.ts";

/*
 * Record logs of a contract that only emits logs. The subgraph accepts them from every contract, and gives their resolver the
 * node's domain. Source: ensdomains/ens-subgraph, subgraph.yaml (its Resolver has no address) and src/resolver.ts.
 */

const abi = parseAbi([
  "event TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value)",
  "event AddrChanged(bytes32 indexed node, address a)",
]);
const label = "emitted";
const node = ethNode(label);
const variables = { name: `${label}.eth` };

const emit = (topics: readonly (Hex | readonly Hex[] | null)[], data: Hex) =>
  send(stage.chain, {
    from: stage.cast.bob,
    contract: "logEmitter",
    functionName: "emitLog",
    args: [topics, data],
  });

let text: string;

beforeAll(async () => {
  const { chain, cast } = stage;
  await registerReferred(chain, { from: cast.alice, label, resolver: "resolver5" });
  const key = { node, indexedKey: "url" };
  const strings = encodeAbiParameters([{ type: "string" }, { type: "string" }], ["url", "stranger's"]);
  const { blockNumber, logs } = await emit(
    encodeEventTopics({ abi, eventName: "TextChanged", args: key }),
    strings,
  );
  text = `${blockNumber}-${logs[0]?.logIndex}`;
  const address = encodeAbiParameters([{ type: "address" }], [cast.carol]);
  await emit(encodeEventTopics({ abi, eventName: "AddrChanged", args: { node } }), address);
  await stage.stack.waitForHead();
});

test("they are events of the name, at a separate resolver", async () => {
  const emitter = addressOf(stage.chain, "logEmitter").toLowerCase();
  const query = `query q($name: String) { textChangeds(where: { resolver_: { domain_: { name: $name } } }) {
    id value resolver { id domain { name } } } }`;
  const resolver = { id: `${emitter}-${node}`, domain: variables };
  expect(await ask(query, variables)).toEqual({
    textChangeds: [{ id: text, value: "stranger's", resolver }],
  });
});

test("their values are in force once the name has the contract as its resolver", async () => {
  const { chain, cast, stack } = stage;
  const query = "query q($name: String) { domains(where: { name: $name }) { resolvedAddress { id } } }";
  expect(await ask(query, variables)).toEqual({ domains: [{ resolvedAddress: null }] });
  await setResolver(chain, { from: cast.alice, node, resolver: addressOf(chain, "logEmitter") });
  await stack.waitForHead();
  const id = cast.carol.toLowerCase();
  expect(await ask(query, variables)).toEqual({ domains: [{ resolvedAddress: { id } }] });
  const byAddress = `query q($id: String) { domains(where: { resolvedAddress_in: [$id], name: "${label}.eth" }) { name } }`;
  expect(await ask(byAddress, { id })).toEqual({ domains: [variables] });
});
