import { type Address, type Hex, namehash } from "viem";
import { expect, test } from "vitest";
import { addressOf, clearInGraveyard, ethNode } from "../../../devnet/acts.ts";
import { lower } from "../stage.ts";
import { listOwners, stage } from "./stage.ts";

/* The data kept for names that migrated from ENSv1 to ENSv2 in the story of the change. */

const rows = <Row extends Record<string, unknown>>(text: string, ...values: unknown[]) =>
  stage.sql<Row>(text, values);

const domainOf = async (name: string) =>
  (
    await rows<Record<string, unknown>>(
      `select registry, effective_owner_address as owner, resolver, is_wrapped, registry_owner, registrar_owner,
         wrapper_owner from domains where node = $1`,
      namehash(name),
    )
  )[0];

const at = (contract: string): Hex => lower(addressOf(stage.chain, contract));

test("an unwrapped name: ENSv2 answers, and ENSv1's columns stay ENSv1's", async () => {
  const { alice, bob, carol } = stage.cast;
  expect(await domainOf("plain.eth")).toEqual({
    registry: at("ethRegistry"),
    owner: lower(bob),
    resolver: lower(carol),
    is_wrapped: false,
    registry_owner: at("graveyard"),
    registrar_owner: at("graveyard"),
    wrapper_owner: null,
  });
  const owners = await listOwners("plain.eth");
  expect(owners.at(-1)).toEqual([lower(bob), "token", "LabelRegistered"]);
  expect(owners.some(([owner]) => owner === lower(alice))).toBe(true);
  expect(await stage.whois("plain.eth")).toMatchObject({
    migration: { from_address: alice, to_address: bob },
  });
});

test("a wrapped name", async () => {
  expect(await domainOf("soft.eth")).toMatchObject({
    registry: at("ethRegistry"),
    owner: lower(stage.cast.alice),
    resolver: null,
    is_wrapped: false,
    wrapper_owner: null,
  });
});

test("a locked name, whose subnames get a registry", async () => {
  expect(await domainOf("locked.eth")).toMatchObject({
    registry: at("ethRegistry"),
    owner: lower(stage.cast.alice),
    is_wrapped: false,
    wrapper_owner: at("graveyard"),
  });
});

test("a subname that its parent gave up, and one that is not migrated and stays unchanged", async () => {
  const { bob } = stage.cast;
  expect(await domainOf("hard.locked.eth")).toMatchObject({ registry: at("ofLocked"), owner: lower(bob) });
  expect(await domainOf("loose.locked.eth")).toMatchObject({ registry: null, wrapper_owner: lower(bob) });
  const [entry] = await rows<{ registered_by: Address; subregistry: Address }>(
    `select registered_by, subregistry from ensv2_entries e join labels l using (labelhash)
     where registry = $1 and l.label = 'hard'`,
    at("ofLocked"),
  );
  expect(entry).toEqual({ registered_by: at("ofLocked"), subregistry: at("ofHard") });
  const claims = await rows(
    "select registry, parent_registry, parent_label from ensv2_registries where parent_label = 'hard'",
  );
  expect(claims).toEqual([{ registry: at("ofHard"), parent_registry: at("ofLocked"), parent_label: "hard" }]);
});

test("continues when the graveyard takes what is left in ENSv1", async () => {
  const { chain, cast } = stage;
  const before = await domainOf("soft.eth");
  await clearInGraveyard(chain, { from: cast.dave, names: [["soft", "eth"]] });
  const { registry_owner, registrar_owner, ...answered } = (await domainOf("soft.eth")) ?? {};
  expect(before).toMatchObject(answered);
  expect((await listOwners("soft.eth")).at(-1)?.slice(0, 2)).toEqual([lower(cast.alice), "token"]);
});

test("has the logs of both systems in the name's history, in order", async () => {
  const found = await rows<{ contract: string; event_type: string }>(
    `select contract, event_type from events where node = $1 and transaction_hash =
       (select transaction_hash from events where node = $1 and event_type = 'LabelRegistered') order by log_index`,
    ethNode("plain"),
  );
  expect(found.map((row) => `${row.contract} ${row.event_type}`)).toEqual([
    "REGISTRAR Transfer",
    "REGISTRY NewOwner",
    "REGISTRY Transfer",
    "REGISTRY NewResolver",
    "REGISTRAR Transfer",
    "ENSV2_REGISTRY LabelRegistered",
    "ENSV2_REGISTRY TransferSingle",
    "ENSV2_REGISTRY TokenResource",
    "ENSV2_REGISTRY EACRolesChanged",
    "ENSV2_REGISTRY ResolverUpdated",
  ]);
});
