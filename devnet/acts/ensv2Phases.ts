import { type Address, parseAbiItem, type TransactionReceipt, zeroAddress } from "viem";
import type { Chain } from "./chain.ts";
import { addressOf, read, send } from "./chain.ts";
import { BONUS_V2, grantRootRoles, ROLES, revokeRootRoles } from "./ensv2.ts";
import { tokenIdOf } from "./names.ts";

/*
 * The change from ENSv1 to ENSv2 in its phases, by the first account, who owns all. The first phase is the deployment.
 * Source: ensdomains/contracts-v2, docs/migration.md.
 */

const BATCH_ROLES = ROLES.registrar | ROLES.renew;

type Owner = { from: Address };

/** One contract may reserve from now on. */
export async function allowReservations(chain: Chain, { from }: Owner): Promise<TransactionReceipt> {
  const account = addressOf(chain, "batchRegistrar");
  return grantRootRoles(chain, { from, roles: BATCH_ROLES, account });
}

/** What one transaction reserves; each name until 62 days after its expiry in ENSv1 unless told. */
export type Reservations = Owner & { names: readonly { label: string; expiry?: bigint }[] };

/** Reserves names of ENSv1, or lets reservations end later (phases 2 and 5). */
export async function reserveNames(chain: Chain, { from, names }: Reservations): Promise<TransactionReceipt> {
  const expiries = await Promise.all(
    names.map(async ({ label, expiry }) => expiry ?? (await readV1Expiry(chain, label)) + BONUS_V2),
  );
  const labels = names.map(({ label }) => label);
  const args = [zeroAddress, addressOf(chain, "ensV1Resolver"), labels, expiries];
  return send(chain, { from, contract: "batchRegistrar", functionName: "batchRegister", args });
}

const readV1Expiry = (chain: Chain, label: string): Promise<bigint> =>
  read<bigint>(chain, { contract: "registrar", functionName: "nameExpires", args: [tokenIdOf(label)] });

/** No registration and no renewal in ENSv1 any more: its registrar loses every controller (phase 3). */
export async function freezeV1(chain: Chain, { from }: Owner): Promise<void> {
  for (const controller of await listV1Controllers(chain)) {
    await send(chain, { from, contract: "registrar", functionName: "removeController", args: [controller] });
  }
}

/** All controllers whose registrations the registrar of ENSv1 accepts, no matter who added them. */
async function listV1Controllers(chain: Chain): Promise<Address[]> {
  const event = parseAbiItem("event ControllerAdded(address indexed controller)");
  const address = addressOf(chain, "registrar");
  const added = await chain.client.getLogs({ address, event, fromBlock: 0n });
  const controllers: Address[] = [];
  for (const controller of new Set(added.flatMap(({ args }) => args.controller ?? []))) {
    const question = { contract: "registrar", functionName: "controllers", args: [controller] };
    if (await read<boolean>(chain, question)) controllers.push(controller);
  }
  return controllers;
}

/** Renewals resume, for stablecoins and through ENSv2 (phase 4). */
export async function handOverV1(chain: Chain, { from }: Owner): Promise<void> {
  for (const name of ["renewerV1", "graveyard"]) {
    const args = [addressOf(chain, name)];
    await send(chain, { from, contract: "registrar", functionName: "addController", args });
  }
  const args = [addressOf(chain, "renewerV1")];
  await send(chain, { from, contract: "registrar", functionName: "transferOwnership", args });
  await grantRootRoles(chain, { from, roles: ROLES.renew, account: addressOf(chain, "renewerV1") });
}

/** Registrations and migrations begin (phase 6). */
export async function openEnsv2(chain: Chain, { from }: Owner): Promise<void> {
  await revokeRootRoles(chain, { from, roles: BATCH_ROLES, account: addressOf(chain, "batchRegistrar") });
  for (const name of ["unlockedMigration", "lockedMigration"]) {
    await grantRootRoles(chain, { from, roles: ROLES.registerReserved, account: addressOf(chain, name) });
  }
  await grantRootRoles(chain, { from, roles: BATCH_ROLES, account: addressOf(chain, "ethRegistrar") });
}

/** ENSv2 becomes what everybody resolves (phase 7). */
export async function switchToEnsv2(chain: Chain, { from }: Owner): Promise<TransactionReceipt> {
  const args = [addressOf(chain, "managedProxy")];
  return send(chain, { from, contract: "topProxy", functionName: "upgradeTo", args });
}

/** All phases at once; `names` are reserved in the second. */
export async function changeToEnsv2(
  chain: Chain,
  { from, names = [] }: Owner & Partial<Reservations>,
): Promise<void> {
  await allowReservations(chain, { from });
  if (names.length > 0) await reserveNames(chain, { from, names });
  await freezeV1(chain, { from });
  await handOverV1(chain, { from });
  await openEnsv2(chain, { from });
  await switchToEnsv2(chain, { from });
}
