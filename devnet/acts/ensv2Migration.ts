import type { Address, Hex, TransactionReceipt } from "viem";
import { encodeAbiParameters, hexToBigInt, zeroAddress } from "viem";
import type { Chain } from "./chain.ts";
import { addressOf, contractOf, send } from "./chain.ts";
import { proxyOf } from "./ensv2.ts";
import type { Label } from "./names.ts";
import { dnsEncode, ethNode, nodeBelow, tokenIdOf } from "./names.ts";

/** What a holder of an ENSv1 name asks for in ENSv2. */
export type MigrationRequest = {
  from: Address;
  label: string;
  owner?: Address;
  subregistry?: Address;
  resolver?: Address;
};

const migrationType = {
  type: "tuple",
  components: [
    { name: "label", type: "string" },
    { name: "owner", type: "address" },
    { name: "subregistry", type: "address" },
    { name: "resolver", type: "address" },
  ],
} as const;

const toMigration = (act: MigrationRequest) => ({
  label: act.label,
  owner: act.owner ?? act.from,
  subregistry: act.subregistry ?? zeroAddress,
  resolver: act.resolver ?? zeroAddress,
});

const encodeMigration = (act: MigrationRequest): Hex =>
  encodeAbiParameters([migrationType], [toMigration(act)]);

/** An unwrapped `.eth` name, sent to its controller as a token. */
export async function migrateUnwrapped(chain: Chain, act: MigrationRequest): Promise<TransactionReceipt> {
  const { from, label } = act;
  const args = [from, addressOf(chain, "unlockedMigration"), tokenIdOf(label), encodeMigration(act)];
  return send(chain, { from, contract: "registrar", functionName: "safeTransferFrom", args });
}

type Wrapped = { from: Address; node: Hex; to: Address; data: Hex };

async function sendWrapped(chain: Chain, { from, node, to, data }: Wrapped): Promise<TransactionReceipt> {
  const args = [from, to, hexToBigInt(node), 1n, data];
  return send(chain, { from, contract: "wrapper", functionName: "safeTransferFrom", args });
}

/** A wrapped `.eth` name that is not locked. */
export async function migrateWrapped(chain: Chain, act: MigrationRequest): Promise<TransactionReceipt> {
  const to = addressOf(chain, "unlockedMigration");
  return sendWrapped(chain, { from: act.from, node: ethNode(act.label), to, data: encodeMigration(act) });
}

/** Several wrapped `.eth` names that are not locked, in one transfer. */
export async function migrateWrappedBatch(
  chain: Chain,
  { from, names }: { from: Address; names: readonly Omit<MigrationRequest, "from">[] },
): Promise<TransactionReceipt> {
  const ids = names.map(({ label }) => hexToBigInt(ethNode(label)));
  const all = names.map((name) => toMigration({ ...name, from }));
  const data = encodeAbiParameters([{ ...migrationType, type: "tuple[]" }], [all]);
  const args = [from, addressOf(chain, "unlockedMigration"), ids, ids.map(() => 1n), data];
  return send(chain, { from, contract: "wrapper", functionName: "safeBatchTransferFrom", args });
}

/** A locked `.eth` name. `registry` is what the chain's contracts call the registry that is made for its subnames. */
export async function migrateLocked(
  chain: Chain,
  { registry, ...act }: MigrationRequest & { registry?: string },
): Promise<TransactionReceipt> {
  const to = addressOf(chain, "lockedMigration");
  const node = ethNode(act.label);
  const receipt = await sendWrapped(chain, { from: act.from, node, to, data: encodeMigration(act) });
  nameRegistry(chain, receipt, registry);
  return receipt;
}

/** A locked or emancipated subname, whose parent's registry is `parent` by its contract name. */
export async function migrateSubname(
  chain: Chain,
  act: MigrationRequest & { parent: string; parentNode: Hex; registry?: string },
): Promise<TransactionReceipt> {
  const { from, label, parent, parentNode, registry } = act;
  const node = nodeBelow(parentNode, label);
  const receipt = await sendWrapped(chain, {
    from,
    node,
    to: addressOf(chain, parent),
    data: encodeMigration(act),
  });
  nameRegistry(chain, receipt, registry);
  return receipt;
}

function nameRegistry(chain: Chain, receipt: TransactionReceipt, name: string | undefined): void {
  if (name === undefined) return;
  const { abi } = contractOf(chain, "wrapperRegistryCode");
  chain.contracts[name] = { address: proxyOf(chain, receipt), abi };
}

/** `clear` of the graveyard: takes what names still have in ENSv1, given by their labels from the leftmost on. */
export async function clearInGraveyard(
  chain: Chain,
  { from, names }: { from: Address; names: readonly (readonly Label[])[] },
): Promise<TransactionReceipt> {
  const args = [names.map((labels) => dnsEncode(labels))];
  return send(chain, { from, contract: "graveyard", functionName: "clear", args });
}
