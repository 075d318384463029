import { readFileSync } from "node:fs";
import type { Abi } from "viem";
import { describe, expect, test } from "vitest";
import { agentAdapterAbi } from "../../abis/agentAdapter.ts";
import { agentRegistryAbi } from "../../abis/agentRegistry.ts";
import * as controllers from "../../abis/controllers.ts";
import { dnsTokenAbi } from "../../abis/dnsToken.ts";
import * as ensv2 from "../../abis/ensv2.ts";
import { dnsRegistrarAbi, shortNameClaimsAbi, subdomainRegistrarAbi } from "../../abis/labelSources.ts";
import { nameWrapperAbi } from "../../abis/nameWrapper.ts";
import { priceFeedAbi } from "../../abis/priceFeed.ts";
import { auctionRegistrarAbi, basenamesRegistrarAbi, registrarAbi } from "../../abis/registrar.ts";
import { registryAbi } from "../../abis/registry.ts";
import { listedResolverAbi, resolverAbi } from "../../abis/resolver.ts";
import * as reverse from "../../abis/reverse.ts";
import { blockTypes } from "../../src/api/features/feed/source.ts";
import { timeTypes } from "../../src/api/features/feed/times.ts";
import { allLogs, eventTypes, keyOf } from "../../src/api/names/rules/eventTypes.ts";
import { activity, event } from "../../src/api/names/schemas/answers.ts";

const section = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8")
  .split("\n## ")
  .find((part) => part.startsWith("Events"));

const wordsIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);

const documented = new Map(
  [...(section ?? "").matchAll(/^\| (`.+?) \| (.+) \|$/gm)].map(([, contract = "", events = ""]) => [
    wordsIn(contract).join(" "),
    wordsIn(events).sort(),
  ]),
);

const eventsOf = (...abis: readonly Abi[]): string[] => {
  const events = abis.flat().flatMap((entry) => (entry.type === "event" ? [entry.name] : []));
  return [...new Set(events)].sort();
};

/** ENSv2 registries and resolvers log the same role events; the factory that deploys both is followed for registries. */
const rolesAbi = ensv2.ensv2RegistryAbi.filter(({ name }) => name === "EACRolesChanged");

describe("the list of events in docs/api.md", () => {
  test.each([
    ["REGISTRY REGISTRY_OLD", eventsOf(registryAbi)],
    ["REGISTRAR REGISTRAR_OLD", eventsOf(registrarAbi, basenamesRegistrarAbi)],
    ["REGISTRAR_AUCTION", eventsOf(auctionRegistrarAbi)],
    ["REGISTRAR_DNS", eventsOf(dnsTokenAbi)],
    [
      "CONTROLLER_<block> CONTROLLER",
      eventsOf(
        controllers.controllerCostAbi,
        controllers.controllerPremiumAbi,
        controllers.controllerReferrerAbi,
        controllers.basenamesControllerAbi,
        controllers.lineanamesControllerAbi,
        controllers.addedControllerAbi,
      ),
    ],
    ["PRICE_FEED", eventsOf(priceFeedAbi)],
    ["DNS_REGISTRAR", eventsOf(dnsRegistrarAbi)],
    ["SUBDOMAIN_REGISTRAR", eventsOf(subdomainRegistrarAbi)],
    ["SHORT_NAME_CLAIMS", eventsOf(shortNameClaimsAbi)],
    ["RENEWAL_REFERRER", eventsOf(controllers.renewalReferrerAbi)],
    ["NAME_WRAPPER", eventsOf(nameWrapperAbi)],
    ["RESOLVER_<block> RESOLVER", eventsOf(resolverAbi, listedResolverAbi)],
    ["REVERSE_REGISTRAR", eventsOf(reverse.reverseRegistrarAbi, reverse.basenamesReverseRegistrarAbi)],
    ["DEFAULT_REVERSE_REGISTRAR", eventsOf(reverse.defaultReverseRegistrarAbi)],
    ["L2_REVERSE_REGISTRAR", eventsOf(reverse.nameForAddrAbi)],
    ["AGENT_ADAPTER", eventsOf(agentAdapterAbi)],
    ["AGENT_REGISTRY", eventsOf(agentRegistryAbi)],
    ["ENSV2_REGISTRY", eventsOf(ensv2.ensv2RegistryAbi)],
    ["ENSV2_REGISTRAR ENSV2_RENEWER", eventsOf(ensv2.ensv2RegistrarAbi)],
    ["ENSV2_RESOLVER", eventsOf(ensv2.ensv2ResolverAbi, ensv2.upgradedAbi, rolesAbi)],
    ["ENSV2_FACTORY", eventsOf(ensv2.ensv2FactoryAbi)],
    ["ENSV2_LABEL_STORE", eventsOf(ensv2.ensv2LabelStoreAbi)],
    ["ENSV2_UNIVERSAL_RESOLVER", eventsOf(ensv2.upgradedAbi)],
  ])("%s", (contract, events) => {
    expect(documented.get(contract)).toEqual(events);
  });

  test("has every event that lists know, with or without a kind", () => {
    const inDocs = [...documented].flatMap(([contracts, events]) =>
      contracts
        .split(" ")
        .filter((contract) => /^[A-Z0-9_]+$/.test(contract))
        .flatMap((family) => events.map((eventType) => keyOf({ family, eventType }))),
    );
    expect(allLogs.map(keyOf).sort()).toEqual(inDocs.sort());
  });

  test("has every field of an event", () => {
    const fields = wordsIn(section?.split("An event's fields are")[1]?.split("\n\n")[0] ?? "");
    expect(fields.sort()).toEqual(Object.keys(event.shape).sort());
  });
});

test("docs/changes.md maps every word for a change in events, recent activity and the feed", () => {
  const page = readFileSync(new URL("../../docs/changes.md", import.meta.url), "utf8");
  const rows = page.split("| change | events | recent activity | feed |")[1]?.split("\n\n")[0] ?? "";
  const columns = rows.split("\n").map((row) => row.split("|").slice(1));
  const wordsOf = (column: number) =>
    [...new Set(columns.flatMap((row) => wordsIn(row[column] ?? "")))].sort();
  expect(wordsOf(1)).toEqual([...eventTypes].sort());
  expect(wordsOf(2)).toEqual(activity.def.options.map(({ shape }) => shape.type.value as string).sort());
  expect(wordsOf(3)).toEqual([...blockTypes, ...timeTypes].sort());
});
