import { domain } from "ponder:schema";
import { coinTypeOfChain, DEFAULT_COIN_TYPE, reverseNodeOf } from "../ens/coinType.ts";
import { ADDR_REVERSE_NODE, childNode, labelhash } from "../ens/name.ts";
import { type ArgsOf, on } from "./on.ts";
import { appendArguments, appendEventAndHolders } from "./write/events.ts";
import { learnLabel } from "./write/names.ts";
import { type NameClaim, putClaim, refreshClaim } from "./write/primaryNames.ts";
import { putReverseNode } from "./write/reverseNodes.ts";

/**
 * An address claimed its reverse node. This log tells the address, and comes before the registry's own. A node that was
 * claimed while its address was unknown may have a name already. Writes: events, labels, domains, primary names.
 */
on("ReverseRegistrar", "ReverseClaimed", async ({ event, context, log }) => {
  const { addr: address, node } = event.args;
  await appendEventAndHolders(context, log, { node, address });
  const label = address.slice(2);
  const claimed = labelhash(label);
  if (childNode(ADDR_REVERSE_NODE, claimed) !== node) return;
  await learnLabel(context, log, claimed, label);
  const reverse = await context.db.find(domain, { chainId: log.chainId, node });
  if (reverse !== null) await refreshClaim(context, log, reverse);
});

/**
 * An address of Base claimed its node at the reverse registrar before ENSIP-19. The registry's logs and the name's follow.
 * Writes: events, reverse_nodes.
 */
on("BasenamesReverseRegistrar", "BaseReverseClaimed", async ({ event, context, log }) => {
  const { addr: address, node } = event.args;
  await appendEventAndHolders(context, log, { node, address });
  const parentNode = reverseNodeOf(coinTypeOfChain(log.chainId));
  if (childNode(parentNode, labelhash(address.slice(2))) === node)
    await putReverseNode(context, log, node, address);
});

const ownReverseRegistrars = ["ReverseRegistrar", "BasenamesReverseRegistrar"] as const;

on(ownReverseRegistrars, "DefaultResolverChanged", ({ event, context, log }) =>
  appendEventAndHolders(context, log, { resolverAddress: event.args.resolver }),
);
on("BasenamesReverseRegistrar", "ControllerApprovalChanged", appendArguments);
on(["ReverseRegistrar", "DefaultReverseRegistrar"], "ControllerChanged", appendArguments);
on([...ownReverseRegistrars, "DefaultReverseRegistrar"], "OwnershipTransferred", appendArguments);

on("DefaultReverseRegistrar", "NameForAddrChanged", (args) =>
  onNameForAddr(args, "DEFAULT_REVERSE_REGISTRAR", DEFAULT_COIN_TYPE),
);
on("L2ReverseRegistrar", "NameForAddrChanged", (args) =>
  onNameForAddr(args, "L2_REVERSE_REGISTRAR", coinTypeOfChain(args.context.chain.id)),
);

type NameForAddr = ArgsOf<"DefaultReverseRegistrar" | "L2ReverseRegistrar", "NameForAddrChanged">;

/** An address set its name at a registrar of ENSIP-19; an empty name clears it. Writes: events, primary names. */
async function onNameForAddr(
  { event, context, log }: NameForAddr,
  registrar: NameClaim["registrar"],
  coinType: bigint,
) {
  const { addr: address, name } = event.args;
  await appendEventAndHolders(context, log, { address, name, coinType });
  await putClaim(context, log, {
    address,
    coinType: Number(coinType),
    registrar,
    name: name === "" ? null : name,
    isNameKnown: true,
  });
}
