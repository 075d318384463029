import { type Event, ponder } from "ponder:registry";
import { domain } from "ponder:schema";
import { coinTypeOfChain, DEFAULT_COIN_TYPE, reverseNodeOf } from "../ens/coinType.ts";
import { ADDR_REVERSE_NODE, childNode, labelhash } from "../ens/name.ts";
import { appendEvent, appendLog, appendLogOfContract } from "./write/events.ts";
import { type HandlerArgs, logRefOf } from "./write/logRef.ts";
import { learnLabel } from "./write/names.ts";
import { type NameClaim, putClaim, refreshClaim } from "./write/primaryNames.ts";
import { putReverseNode } from "./write/reverseNodes.ts";

const REVERSE_REGISTRAR = "REVERSE_REGISTRAR";
const DEFAULT_REVERSE_REGISTRAR = "DEFAULT_REVERSE_REGISTRAR";

/**
 * An address claimed its reverse node. This log tells the address, and comes before the registry's own. A node that was
 * claimed while its address was unknown may have a name already. Writes: events, labels, domains, primary names.
 */
ponder.on("ReverseRegistrar:ReverseClaimed", async ({ event, context }) => {
  const { addr: address, node } = event.args;
  const log = logRefOf(context, event, REVERSE_REGISTRAR, "ReverseClaimed");
  await appendEvent(context, log, { node, address });
  const label = address.slice(2);
  const claimed = labelhash(label);
  if (childNode(ADDR_REVERSE_NODE, claimed) !== node) return;
  await learnLabel(context, log, claimed, label);
  const reverse = await context.db.find(domain, { chainId: log.chainId, node });
  if (reverse !== null) await refreshClaim(context, log, reverse);
});

ponder.on("ReverseRegistrar:DefaultResolverChanged", (args) =>
  appendLog(args, REVERSE_REGISTRAR, "DefaultResolverChanged", { resolverAddress: args.event.args.resolver }),
);
ponder.on("ReverseRegistrar:ControllerChanged", (args) =>
  appendLogOfContract(args, REVERSE_REGISTRAR, "ControllerChanged"),
);
ponder.on("ReverseRegistrar:OwnershipTransferred", (args) =>
  appendLogOfContract(args, REVERSE_REGISTRAR, "OwnershipTransferred"),
);

/**
 * An address of Base claimed its node at the reverse registrar before ENSIP-19. The registry's logs and the name's follow.
 * Writes: events, reverse_nodes.
 */
ponder.on("BasenamesReverseRegistrar:BaseReverseClaimed", async ({ event, context }) => {
  const { addr: address, node } = event.args;
  const log = logRefOf(context, event, REVERSE_REGISTRAR, "BaseReverseClaimed");
  await appendEvent(context, log, { node, address });
  const parentNode = reverseNodeOf(coinTypeOfChain(log.chainId));
  if (childNode(parentNode, labelhash(address.slice(2))) === node)
    await putReverseNode(context, log, node, address);
});

ponder.on("BasenamesReverseRegistrar:DefaultResolverChanged", (args) =>
  appendLog(args, REVERSE_REGISTRAR, "DefaultResolverChanged", { resolverAddress: args.event.args.resolver }),
);
ponder.on("BasenamesReverseRegistrar:ControllerApprovalChanged", (args) =>
  appendLogOfContract(args, REVERSE_REGISTRAR, "ControllerApprovalChanged"),
);
ponder.on("BasenamesReverseRegistrar:OwnershipTransferred", (args) =>
  appendLogOfContract(args, REVERSE_REGISTRAR, "OwnershipTransferred"),
);

ponder.on("DefaultReverseRegistrar:NameForAddrChanged", (args) =>
  onNameForAddr(args, DEFAULT_REVERSE_REGISTRAR, DEFAULT_COIN_TYPE),
);
ponder.on("L2ReverseRegistrar:NameForAddrChanged", (args) =>
  onNameForAddr(args, "L2_REVERSE_REGISTRAR", coinTypeOfChain(args.context.chain.id)),
);

ponder.on("DefaultReverseRegistrar:ControllerChanged", (args) =>
  appendLogOfContract(args, DEFAULT_REVERSE_REGISTRAR, "ControllerChanged"),
);
ponder.on("DefaultReverseRegistrar:OwnershipTransferred", (args) =>
  appendLogOfContract(args, DEFAULT_REVERSE_REGISTRAR, "OwnershipTransferred"),
);

type NameForAddr = HandlerArgs<Event<"DefaultReverseRegistrar:NameForAddrChanged">>;

/** An address set its name at a registrar of ENSIP-19; an empty name clears it. Writes: events, primary names. */
async function onNameForAddr(
  { event, context }: NameForAddr,
  registrar: NameClaim["registrar"],
  coinType: bigint,
) {
  const { addr: address, name } = event.args;
  const log = logRefOf(context, event, registrar, "NameForAddrChanged");
  await appendEvent(context, log, { address, name, coinType });
  await putClaim(context, log, {
    ...{ address, coinType: Number(coinType), registrar },
    name: name === "" ? null : name,
    isNameKnown: true,
  });
}
