import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address, Hex } from "viem";
import {
  addressOf,
  type Chain,
  ethNode,
  registerReferred,
  send,
  setResolver,
  setText,
  writeRecords,
} from "../../../devnet/acts.ts";
import { deployLiveResolvers } from "../../../devnet/deploy.ts";
import { OWN_BATCH_GATEWAY } from "../../../src/api/names/live/ccip/ccip.ts";
import { nestedBatches } from "../../live/ccip/hostileLookups.ts";
import { allRecords } from "../ask.ts";
import type { Attack } from "../attack.ts";
import { type HostileStage, VICTIM } from "../stage.ts";

/** Requests that the attacker keeps open. */
const REQUESTS = 3;

let labels = 0;

/** A name of the attacker's at a resolver that only the chain can ask, also for all names below it. */
type Held = { chain: Chain; name: string; resolver: Address };

async function hold({ chain, mallory }: HostileStage, resolver: string): Promise<Held> {
  const contracts = await deployLiveResolvers(chain.client);
  const own = { ...chain, contracts: { ...chain.contracts, ...contracts } };
  const label = `live-${labels++}`;
  await registerReferred(own, { from: mallory, label });
  const address = addressOf(own, resolver);
  await setResolver(own, { from: mallory, node: ethNode(label), resolver: address });
  return { chain: own, name: `${label}.eth`, resolver: address };
}

const below = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `x${i}.${name}`);

/** Requested names below one: their number in a bulk request, and in a lookup. */
type Below = { name: string; count: number; inputs: number };
type Counts = Omit<Below, "name">;

/** Requests names in bulk, some requests at a time, while a bystander from another address requests another name. */
async function askBeside(
  { stack }: HostileStage,
  { name, count, inputs }: Below,
  bystander: string,
): Promise<void> {
  const post = (address: string, path: string, body: unknown) =>
    fetch(`${stack.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": address },
      body: JSON.stringify(body),
    });
  const requests = [
    ...Array.from({ length: REQUESTS }, () =>
      post("203.0.113.1", "/whois/bulk", { names: below(name, count) }),
    ),
    post("203.0.113.1", "/lookup", {
      inputs: below(name, inputs),
      records: allRecords,
      primary_name_check: true,
    }),
  ];
  const headers = { "x-forwarded-for": "203.0.113.2" };
  const reply = await fetch(`${stack.url}/whois/${bystander}`, { headers });
  if (reply.status !== 200) throw new Error(`The bystander got ${reply.status}: ${await reply.text()}`);
  for (const answered of await Promise.all(requests)) {
    if (answered.status !== 200) throw new Error(`The bulk request got ${answered.status}`);
    await answered.arrayBuffer();
  }
}

/** A resolver that sends each of its callers to our own batch gateway with this lookup. */
const tree = (counts: Counts, what: string, plan: { width: number; depth: number }): Attack => ({
  name: `a resolver that asks for ${what}`,
  run: async (stage) => {
    const { chain, name, resolver } = await hold(stage, "hostileResolver");
    const lookup: Hex = nestedBatches(resolver, plan);
    const args = [[OWN_BATCH_GATEWAY], lookup];
    const gas = 16_000_000n;
    await send(chain, { from: stage.mallory, contract: "hostileResolver", functionName: "ask", args, gas });
    const wild = await hold(stage, "wildcardResolver");
    await stage.stack.waitForHead();
    await askBeside(stage, { name, ...counts }, `bystander.${wild.name}`);
    return { names: [name, `below.${name}`] };
  },
});

/** A resolver whose lookups go to a gateway that behaves like this. */
const gateway = (
  counts: Counts,
  what: string,
  { answer, resolver = "lookupResolver" }: { answer: RequestListener; resolver?: string },
): Attack => ({
  name: `a gateway that ${what}`,
  run: async (stage) => {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { chain, name } = await hold(stage, resolver);
      const urls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}/{data}`];
      await send(chain, { from: stage.mallory, contract: resolver, functionName: "setUrls", args: [urls] });
      const wild = await hold(stage, "wildcardResolver");
      await stage.stack.waitForHead();
      await askBeside(stage, { name, ...counts }, `bystander.${wild.name}`);
      return { names: [name] };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
});

const data = (bytes: number): string => JSON.stringify({ data: `0x${"00".repeat(bytes)}` });

/** A resolver whose texts have this length. */
const texts = (bytes: number): Attack => ({
  name: `a resolver that answers texts of ${bytes.toLocaleString("en")} bytes`,
  run: async (stage) => {
    const { chain, name } = await hold(stage, "hostileResolver");
    const call = { from: stage.mallory, contract: "hostileResolver", functionName: "answerTexts" };
    await send(chain, { ...call, args: [BigInt(bytes)] });
    await stage.stack.waitForHead();
    return { names: [name], keys: ["avatar", "url"] };
  },
});

/** Texts of a compared name. Two are long. */
const COMPARED_TEXTS = 250;

/** Requests one name's comparison many times at once. @throws if another caller's name is not answered meanwhile */
const comparedAtOnce = (times: number): Attack => ({
  name: `a name with ${COMPARED_TEXTS} texts that is compared ${times} times at once`,
  run: async (stage) => {
    const { chain, mallory, stack } = stage;
    const label = `compared-${labels++}`;
    const resolver = "resolver5";
    await registerReferred(chain, { from: mallory, label, resolver });
    const node = ethNode(label);
    const texts = Array.from({ length: COMPARED_TEXTS }, (_, i) => ({
      kind: "text" as const,
      key: `key ${i}`,
      value: `value ${i}`,
    }));
    for (let first = 0; first < texts.length; first += 125) {
      const writes = texts.slice(first, first + 125);
      await writeRecords(chain, { from: mallory, resolver, node, writes });
    }
    for (const key of ["long", "longer"])
      await setText(chain, { from: mallory, resolver, node, key, value: "x".repeat(15_000) });
    await stack.waitForHead();
    const ask = (path: string, address: string) =>
      fetch(`${stack.url}${path}`, { headers: { "x-forwarded-for": address } });
    const compared = Array.from({ length: times }, () => ask(`/domain/${label}.eth/verify`, "203.0.113.1"));
    for (let i = 0; i < 20; i++) {
      const reply = await ask(`/whois/${VICTIM}`, "203.0.113.2");
      if (reply.status !== 200) throw new Error(`Others got ${reply.status}: ${await reply.text()}`);
      await reply.arrayBuffer();
    }
    for (const reply of await Promise.all(compared)) {
      if (![200, 429, 502].includes(reply.status)) throw new Error(`The comparison got ${reply.status}`);
      await reply.arrayBuffer();
    }
    return { names: [`${label}.eth`], keys: ["long"] };
  },
});

/** Asks until the gateway would count as silent. @throws if names of the honest resolver are no longer resolved */
const borrowedGateway: Attack = {
  name: "a resolver that names an honest gateway's URL",
  run: async (stage) => {
    const [own, strangers] = [await hold(stage, "lookupResolver"), await hold(stage, "lookupResolver")];
    let asked = 0;
    const server = createServer(({ url = "" }, response) => {
      if (!url.includes(own.resolver.toLowerCase())) return;
      asked++;
      response.end(data(32));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const urls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}/{sender}/{data}`];
      for (const { chain } of [own, strangers]) {
        const call = { from: stage.mallory, contract: "lookupResolver", functionName: "setUrls" };
        await send(chain, { ...call, args: [urls] });
      }
      await stage.stack.waitForHead();
      const ask = async (name: string) => (await fetch(`${stage.stack.url}/whois/${name}`)).arrayBuffer();
      for (let round = 0; round < 2; round++) await Promise.all(below(strangers.name, 4).map(ask));
      asked = 0;
      await ask(`honest.${own.name}`);
      if (asked === 0) throw new Error("The honest gateway is no longer asked");
      return { names: [own.name] };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
};

const STOPPED_MS = 5_000;

/** @throws if an indexed name is not answered meanwhile */
const stoppedNode: Attack = {
  name: `the node stands still for ${STOPPED_MS / 1_000} seconds`,
  run: async ({ local, stack }) => {
    process.kill(local.anvil.pid, "SIGSTOP");
    try {
      for (const end = Date.now() + STOPPED_MS; Date.now() < end; await sleep(100)) {
        const { status } = await stack.api(`/whois/${VICTIM}`);
        if (status !== 200) throw new Error(`Others got ${status}`);
      }
    } finally {
      process.kill(local.anvil.pid, "SIGCONT");
    }
    return { names: [VICTIM] };
  },
};

/**
 * Attacks by resolvers and gateways on callers who request their names. `count` is the number of names in each bulk request,
 * `inputs` in each lookup, with all records; `comparisons` is the number of callers who have a name compared at once.
 */
export const attacksByLiveAnswers = ({
  comparisons,
  ...counts
}: Counts & { comparisons: number }): readonly Attack[] => [
  tree(counts, "45 look-ups that each are 45 that each are 45, all at one place", { width: 45, depth: 3 }),
  tree(counts, "batches inside batches, 12 deep", { width: 2, depth: 12 }),
  tree(counts, "400 look-ups in one batch, all at one place", { width: 400, depth: 1 }),
  gateway(counts, "never answers", { answer: () => {} }),
  gateway(counts, "answers each time after 2.5 seconds", {
    answer: (_, response) => void sleep(2_500).then(() => response.end(data(32))),
  }),
  gateway(counts, "answers 250 KB", { answer: (_, response) => void response.end(data(125_000)) }),
  gateway(counts, "answers without end", {
    answer: (_, response) => {
      const more = () => response.write(`{"data":"0x${"00".repeat(10_000)}`) && setImmediate(more);
      response.on("drain", more).on("error", () => {});
      more();
    },
  }),
  gateway(counts, "is asked again and again", {
    answer: (_, response) => void response.end(data(0)),
    resolver: "endlessResolver",
  }),
  texts(100_000),
  texts(131_073),
  borrowedGateway,
  comparedAtOnce(comparisons),
  stoppedNode,
];
