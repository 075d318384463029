import type { Address, TransactionReceipt } from "viem";
import type { Chain } from "./chain.ts";
import { read, send } from "./chain.ts";
import { YEAR } from "./controllers.ts";
import type { Label } from "./names.ts";
import { tokenIdOf } from "./names.ts";

/** Which registrar an act writes: that of 2020, or with `registrar: "oldRegistrar"` that of 2019. */
type RegistrarAct = { from: Address; registrar?: string };

/** Lets an account register by labelhash, as the contracts of later controllers may. By the owner only. */
export async function addController(
  chain: Chain,
  { from, controller, registrar = "registrar" }: RegistrarAct & { controller: Address },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: registrar, functionName: "addController", args: [controller] });
}

type HashRegistration = RegistrarAct & { label: Label; owner: Address; duration?: bigint };

/** `register` by an account that is a controller: no log holds the label. */
export async function registerByHash(chain: Chain, act: HashRegistration): Promise<TransactionReceipt> {
  const { from, label, owner, duration = YEAR, registrar = "registrar" } = act;
  const args = [tokenIdOf(label), owner, duration];
  return send(chain, { from, contract: registrar, functionName: "register", args });
}

/** `registerOnly` by an account that is a controller: the registry keeps whatever it had. */
export async function registerOnly(chain: Chain, act: HashRegistration): Promise<TransactionReceipt> {
  const { from, label, owner, duration = YEAR, registrar = "registrar" } = act;
  const args = [tokenIdOf(label), owner, duration];
  return send(chain, { from, contract: registrar, functionName: "registerOnly", args });
}

/** `renew` of the registrar itself, by an account that is a controller. */
export async function renewByHash(
  chain: Chain,
  {
    from,
    label,
    duration = YEAR,
    registrar = "registrar",
  }: RegistrarAct & { label: Label; duration?: bigint },
): Promise<TransactionReceipt> {
  return send(chain, {
    from,
    contract: registrar,
    functionName: "renew",
    args: [tokenIdOf(label), duration],
  });
}

/** Transfers the ERC-721 token of `<label>.eth`; the registry owner stays. */
export async function transferRegistration(
  chain: Chain,
  act: RegistrarAct & { label: Label; to: Address; safe?: boolean; owner?: Address },
): Promise<TransactionReceipt> {
  const { from, label, to, safe = false, owner = from, registrar = "registrar" } = act;
  const functionName = safe ? "safeTransferFrom" : "transferFrom";
  return send(chain, { from, contract: registrar, functionName, args: [owner, to, tokenIdOf(label)] });
}

/** `reclaim`: the token's owner sets the registry owner of `<label>.eth`. */
export async function reclaim(
  chain: Chain,
  { from, label, owner }: { from: Address; label: Label; owner: Address },
): Promise<TransactionReceipt> {
  return send(chain, {
    from,
    contract: "registrar",
    functionName: "reclaim",
    args: [tokenIdOf(label), owner],
  });
}

/** ERC-721 approval of one token. */
export async function approveRegistration(
  chain: Chain,
  { from, label, to }: { from: Address; label: Label; to: Address },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: "registrar", functionName: "approve", args: [to, tokenIdOf(label)] });
}

/** `setApprovalForAll` of the registrar, the registry, the wrapper or a resolver. */
export async function approveForAll(
  chain: Chain,
  act: { from: Address; contract: string; operator: Address; approved?: boolean },
): Promise<TransactionReceipt> {
  const { from, contract, operator, approved = true } = act;
  return send(chain, { from, contract, functionName: "setApprovalForAll", args: [operator, approved] });
}

/** Approves an operator if it is not yet: an act that needs it stays one log where it can. */
export async function requireApproval(
  chain: Chain,
  { from, contract, operator }: { from: Address; contract: string; operator: Address },
): Promise<void> {
  const approved = await read<boolean>(chain, {
    contract,
    functionName: "isApprovedForAll",
    args: [from, operator],
  });
  if (!approved) await approveForAll(chain, { from, contract, operator });
}
