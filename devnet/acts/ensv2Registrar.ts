import type { Address, Hex, TransactionReceipt } from "viem";
import { maxUint256, zeroAddress, zeroHash } from "viem";
import type { Chain } from "./chain.ts";
import { addressOf, latestTime, read, readBytes, send, setNextTime } from "./chain.ts";
import { COMMITMENT_SECONDS, YEAR } from "./controllers.ts";
import type { Label } from "./names.ts";
import { secretOf } from "./names.ts";

/** Gives an account stablecoins, and the registrars of ENSv2 the right to take them. */
export async function fundForEnsv2(chain: Chain, { account }: { account: Address }): Promise<void> {
  for (const token of ["usdc", "dai"]) {
    const send_ = (functionName: string, args: readonly unknown[]) =>
      send(chain, { from: account, contract: token, functionName, args });
    await send_("mint", [account, 10n ** 30n]);
    for (const spender of ["ethRegistrar", "renewerV1"]) {
      await send_("approve", [addressOf(chain, spender), maxUint256]);
    }
  }
}

/** What the registrar of ENSv2 is asked; `token` is the contract name of a stablecoin. */
export type NameRequest = {
  from: Address;
  label: Label;
  owner?: Address;
  duration?: bigint;
  subregistry?: Address;
  resolver?: Address;
  token?: string;
  referrer?: Hex;
};

/** Commits and, 61 seconds later, registers a `.eth` name in ENSv2. The receipt is that of the registration. */
export async function buyName(chain: Chain, act: NameRequest): Promise<TransactionReceipt> {
  const { from, label, owner = from, duration = YEAR, token = "usdc", referrer = zeroHash } = act;
  const { subregistry = zeroAddress, resolver = zeroAddress } = act;
  const secret = secretOf(label, await latestTime(chain));
  const committed = [label, owner, secret, subregistry, resolver, duration];
  const contract = "ethRegistrar";
  const args = [...committed, referrer];
  const commitment = await readBytes(chain, { contract, functionName: "makeCommitment", args });
  await send(chain, { from, contract, functionName: "commit", args: [commitment] });
  await setNextTime(chain, (await latestTime(chain)) + COMMITMENT_SECONDS);
  const paid = [...committed, addressOf(chain, token), referrer];
  return send(chain, { from, contract, functionName: "register", args: paid });
}

/** What a name costs now in units of a stablecoin. */
export async function readNamePrice(
  chain: Chain,
  { label, duration = YEAR, token = "usdc" }: Pick<NameRequest, "label" | "duration" | "token">,
): Promise<{ base: bigint; premium: bigint }> {
  const args = [label, duration, addressOf(chain, token)];
  const [base, premium] = await read<[bigint, bigint]>(chain, {
    contract: "ethRegistrar",
    functionName: "getRegisterPrice",
    args,
  });
  return { base, premium };
}

type Renewal = { from: Address; duration?: bigint; token?: string; referrer?: Hex; registrar?: string };

/** Renews a `.eth` name: by `ethRegistrar`, or a reserved one by `renewerV1`, in ENSv1 and ENSv2 at once. */
export async function renewName(chain: Chain, act: Renewal & { label: Label }): Promise<TransactionReceipt> {
  const {
    from,
    label,
    duration = YEAR,
    token = "usdc",
    referrer = zeroHash,
    registrar = "ethRegistrar",
  } = act;
  const args = [label, duration, addressOf(chain, token), referrer];
  return send(chain, { from, contract: registrar, functionName: "renew", args });
}

/** Several names with one payment. */
export async function renewNames(
  chain: Chain,
  act: Renewal & { labels: readonly string[] },
): Promise<TransactionReceipt> {
  const {
    from,
    labels,
    duration = YEAR,
    token = "usdc",
    referrer = zeroHash,
    registrar = "ethRegistrar",
  } = act;
  const args = [labels, labels.map(() => duration), addressOf(chain, token), referrer];
  return send(chain, { from, contract: registrar, functionName: "renewAll", args });
}
