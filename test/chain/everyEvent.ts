import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AbiEvent, type Address, decodeEventLog, type Hex, isAddressEqual } from "viem";
import { expect, vi } from "vitest";
import type { Deployment } from "../../abis/deployments.ts";
import { familyOf } from "../../src/indexing/write/families.ts";
import { declared, followedEvents } from "../support/followedEvents.ts";
import { request } from "../truth/chainReads.ts";
import { topicOf } from "../truth/eventTopics.ts";

/*
 * Tests log every followed event on a chain that they index. An event belongs to a family of contracts, whose entries in the
 * configuration share handlers. One test file covers most events of a family, and fails for a new event that nothing logs. The
 * other events are listed here, with the file that covers them or the reason why none does.
 */

/** The file that covers a family's events, unless stated below. */
const usualFile = (family: string) =>
  family.startsWith("ENSV2_")
    ? "ensv2-stories.test.ts"
    : family === "REGISTRAR_DNS"
      ? "dnsTokens.test.ts"
      : "layer2.test.ts";

const elsewhere: Record<string, readonly string[]> = {
  "stories.test.ts": [
    "RENEWAL_REFERRER RenewalReferred",
    "RESOLVER ABIChanged",
    "RESOLVER Approved",
    "RESOLVER DNSRecordDeleted",
    "RESOLVER DNSZoneCleared",
    "RESOLVER DNSZonehashChanged",
    "RESOLVER InterfaceChanged",
    "RESOLVER PubkeyChanged",
  ],
  stories: [
    "NAME_WRAPPER Approval",
    "NAME_WRAPPER ApprovalForAll",
    "NAME_WRAPPER ExpiryExtended",
    "NAME_WRAPPER TransferBatch",
    "REGISTRAR Approval",
    "REGISTRAR_AUCTION HashReleased",
    "REGISTRAR_OLD NameMigrated",
    "REGISTRAR_OLD NameRenewed",
    "REGISTRY ApprovalForAll",
    "REGISTRY NewTTL",
    "REGISTRY_OLD NewResolver",
    "REGISTRY_OLD NewTTL",
    "REGISTRY_OLD Transfer",
    "RESOLVER AuthorisationChanged",
    "RESOLVER ContentChanged",
    "RESOLVER MultihashChanged",
  ],
  "ensv2-stories": ["ENSV2_REGISTRY ApprovalForAll", "ENSV2_REGISTRY TransferBatch"],
  "odd-logs.test.ts": [
    "NAME_WRAPPER URI",
    "REGISTRAR NameMigrated",
    "REGISTRAR_AUCTION HashInvalidated",
    "REGISTRAR_OLD Approval",
    "RESOLVER DNSRecordChanged",
  ],
};

const nowhere: Record<string, string> = {
  "REGISTRY_OLD ApprovalForAll": "the registry of 2017 has no operators",
  "CONTROLLER NameRegistered(string name, address owner)": "oldContracts.slow.test.ts has the real contract",
  "DNS_REGISTRAR Claim": "oldContracts.slow.test.ts has emitters of logs",
  "SUBDOMAIN_REGISTRAR NewRegistration": "oldContracts.slow.test.ts has emitters of logs",
  "SHORT_NAME_CLAIMS ClaimSubmitted": "shortNameClaims.slow.test.ts has the real contract",
  "SHORT_NAME_CLAIMS ClaimStatusChanged": "shortNameClaims.slow.test.ts has the real contract",
  "RESOLVER DataChanged": "oldContracts.slow.test.ts has emitters of logs",
  "ENSV2_RENEWER NameRegistered": "what renews shares its ABI with the registrar, and registers nothing",
  "ENSV2_RESOLVER Cleared": "the stand-in has no way to clear records",
  "ENSV2_RESOLVER ResourceArgument": "the stand-in has no roles for single records",
};

const exceptions = new Map([
  ...Object.entries(elsewhere).flatMap(([file, keys]) => keys.map((key) => [key, file] as const)),
  ...Object.keys(nowhere).map((key) => [key, "nowhere"] as const),
]);

type Found = { address: Address[]; event: AbiEvent; parameter: string };
type Place = { address?: Address[] | Found };
type Log = { address: Address; topics: [Hex, ...Hex[]]; data: Hex };
type Node = { anvil: { url: string }; deployment: { name: string; chainId: number } };

/** The contracts of Ponder's configuration as an index of these chains reads them. */
async function readContracts(deployment: Deployment, nodes: readonly Node[]) {
  const folder = mkdtempSync(join(tmpdir(), "namedex-events-"));
  const file = join(folder, "deployment.json");
  writeFileSync(file, JSON.stringify(deployment));
  const env = { ENS_NETWORK: "devnet", ENS_DEPLOYMENT: file, DATABASE_URL: "postgresql://localhost/none" };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  for (const one of nodes) vi.stubEnv(`RPC_URL_${one.deployment.chainId}`, one.anvil.url);
  try {
    // Files that share a process would otherwise share the first one's configuration.
    const url = `${new URL("../../ponder.config.ts", import.meta.url)}?of=${folder}`;
    const config: typeof import("../../ponder.config.ts") = await import(url);
    return config.default.contracts;
  } finally {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  }
}

/** The arguments of a log of this event with the same indexed arguments; undefined for another log. */
function argsOf(event: AbiEvent, { topics, data }: Log): Record<string, string> | undefined {
  if (topics[0] !== topicOf(event)) return undefined;
  try {
    return (decodeEventLog({ abi: [event], topics, data }).args ?? {}) as unknown as Record<string, string>;
  } catch {
    return undefined;
  }
}

/** Whether logs of a contract are followed: of those listed, of those named by logs of listed ones, or of all. */
function isFollowed({ address }: Place, emitter: Address, logs: readonly Log[]): boolean {
  if (address === undefined) return true;
  const isOneOf = (those: Address[], one: Address) => those.some((other) => isAddressEqual(other, one));
  if (Array.isArray(address)) return isOneOf(address, emitter);
  const { address: factories, event, parameter } = address;
  const makings = logs.filter((log) => isOneOf(factories, log.address));
  return makings.some((log) => argsOf(event, log)?.[parameter]?.toLowerCase() === emitter.toLowerCase());
}

/** Expects these chains, the main one first, to have logged every event that this file covers. */
export async function expectItsEvents(
  file: string,
  deployment: Deployment,
  nodes: readonly Node[],
): Promise<void> {
  const contracts = await readContracts(deployment, nodes);
  const chains = await Promise.all(
    nodes.map(async ({ anvil, deployment: { name } }) => {
      const range = { fromBlock: "0x0", toBlock: "latest" };
      return { name, logs: await request<Log[]>(anvil.url, "eth_getLogs", [range]) };
    }),
  );
  const events = followedEvents(contracts).map(({ entry, event }) => {
    const [family, places] = [familyOf(entry), contracts[entry].chain as Record<string, Place>];
    const isEmitted = chains.some(({ name, logs }) => {
      const place = places[name];
      return place && logs.some((log) => argsOf(event, log) && isFollowed(place, log.address, logs));
    });
    const [name, key] = [`${family} ${event.name}`, `${family} ${declared(event)}`];
    return {
      name,
      key,
      usual: usualFile(family),
      exception: exceptions.get(key) ?? exceptions.get(name),
      isEmitted,
    };
  });
  const emitted = new Set(events.flatMap(({ key, isEmitted }) => (isEmitted ? [key] : [])));
  const keysOf = (those: typeof events) => [...new Set(those.map(({ key }) => key))];
  const own = events.filter(({ exception, usual }) => (exception ?? usual) === file);
  const unlogged = keysOf(own.filter(({ key }) => !emitted.has(key)));
  expect(unlogged, "events that no contract logs here").toEqual([]);
  const needless = events.filter(
    ({ exception, usual, key }) => usual === file && exception !== undefined && emitted.has(key),
  );
  expect(keysOf(needless), "events that are logged here, and need no exception").toEqual([]);
  const unknown = [...exceptions.keys()].filter(
    (one) => !events.some(({ name, key }) => name === one || key === one),
  );
  expect(unknown, "exceptions for events that no one follows").toEqual([]);
  for (const other of Object.keys(elsewhere)) {
    const files = [`${other}.test.ts`, `${other}.apart.test.ts`, other].map(
      (file) => new URL(file, import.meta.url),
    );
    const text = readFileSync(files.find((file) => existsSync(file)) ?? other, "utf8");
    expect(text, "a file that has events").toContain(`expectItsEvents("${other}"`);
  }
}
