import type { Address } from "viem";
import { expect, test } from "vitest";
import {
  attempt,
  buyName,
  grantRoles,
  ROLES,
  readEntry,
  revokeRoles,
  setEntryResolver,
  transferEntry,
  transferEntryUnsafely,
  YEAR,
} from "../../../devnet/acts.ts";
import { expectAnswerAsOnChain } from "../ensv2Answers.ts";
import { listOwners, stage } from "./stage.ts";

const rolesOf = async (account: Address): Promise<string[] | undefined> => {
  const { roles } = await stage.whois("shared-roles.eth");
  return roles?.holders.find(({ address }) => address === account)?.roles;
};

/** Names for which the index lists an account as role holder. */
const namesByRoles = async (account: Address): Promise<string[]> => {
  const { body } = await stage.stack.api(`/address/${account}/domains?address_type=role_holder`);
  return (body as { results: { name: string }[] }).results.map(({ name }) => name);
};

test("a granted role is listed, and gives the token a new number but no new holder", async () => {
  const { chain, cast } = stage;
  const { alice: from, bob } = cast;
  await buyName(chain, { from, label: "shared-roles", duration: 5n * YEAR });
  const { token_id } = await expectAnswerAsOnChain(stage, "shared-roles.eth");
  await grantRoles(chain, { from, label: "shared-roles", roles: ROLES.setResolver, account: bob });
  const answer = await expectAnswerAsOnChain(stage, "shared-roles.eth");
  expect(answer.token_id).not.toBe(token_id);
  expect(answer.ownership.owner).toBe(from);
  expect(await rolesOf(bob)).toEqual(["SET_RESOLVER"]);
  expect(await namesByRoles(bob)).toContain("shared-roles.eth");
  expect(await listOwners("shared-roles.eth")).toHaveLength(1);
});

test("a role holder uses the role, and the token cannot be sold by a plain transfer", async () => {
  const { chain, cast } = stage;
  await setEntryResolver(chain, { from: cast.bob, label: "shared-roles", resolver: cast.dave });
  expect((await expectAnswerAsOnChain(stage, "shared-roles.eth")).resolver.address).toBe(cast.dave);
  const sale = { from: cast.alice, label: "shared-roles", to: cast.carol };
  expect((await attempt(() => transferEntry(chain, sale))).outcome).toBe("reverted");
  await transferEntryUnsafely(chain, sale);
  expect((await expectAnswerAsOnChain(stage, "shared-roles.eth")).ownership.owner).toBe(cast.carol);
  expect(await rolesOf(cast.alice)).toBeUndefined();
  expect(await rolesOf(cast.bob)).toEqual(["SET_RESOLVER"]);
});

test("a revoked role is no longer listed, and an earlier id of the token has no owner", async () => {
  const { chain, cast } = stage;
  const { carol: from, bob } = cast;
  const { tokenId } = await readEntry(chain, { label: "shared-roles" });
  await revokeRoles(chain, { from, label: "shared-roles", roles: ROLES.setResolver, account: bob });
  expect((await expectAnswerAsOnChain(stage, "shared-roles.eth")).ownership.owner).toBe(from);
  expect(await rolesOf(bob)).toBeUndefined();
  expect(await namesByRoles(bob)).not.toContain("shared-roles.eth");
  expect(await namesByRoles(from)).toContain("shared-roles.eth");
  const refused = await attempt(() =>
    transferEntry(chain, { from, label: "shared-roles", to: bob, tokenId }),
  );
  expect(refused.outcome).toBe("reverted");
  await expectAnswerAsOnChain(stage, "shared-roles.eth");
});
