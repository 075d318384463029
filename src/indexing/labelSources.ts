import { childNode, ETH_NODE, labelhash } from "../ens/name.ts";
import { type ArgsOf, on } from "./on.ts";
import { learnDnsName } from "./write/dnsNames.ts";
import { appendEventAndHolders } from "./write/events.ts";
import { learnLabel } from "./write/names.ts";

/*
 * Contracts that gave names away and spelled them out. The registry's logs have the names and their owners; these have the labels.
 */

const claim = "Claim(bytes32 indexed node, address indexed owner, bytes dnsname)";
const datedClaim = "Claim(bytes32 indexed node, address indexed owner, bytes dnsname, uint32 inception)";

on("DnsRegistrar", claim, onClaim);
on("DnsRegistrar", datedClaim, onClaim);

type Claim = ArgsOf<"DnsRegistrar", typeof claim> | ArgsOf<"DnsRegistrar", typeof datedClaim>;

/** The owner of a name of the DNS took it over. Writes: events, labels, domains. */
async function onClaim({ event, context, log }: Claim) {
  const { node, owner: ownerAddress, dnsname, ...details } = event.args;
  const spelled = await learnDnsName(context, log, { node, packet: dnsname });
  await appendEventAndHolders(context, log, {
    node,
    ownerAddress,
    ...(spelled
      ? { name: spelled.name, details }
      : { details: { dnsname, ...details }, anomaly: "the DNS name is not that of the node" }),
  });
}

/** A subname of a .eth name was sold. The price is the seller's, and no price of ENS. Writes: events, labels, domains. */
on("SubdomainRegistrar", "NewRegistration", async ({ event, context, log }) => {
  const { label: parent, subdomain, owner: ownerAddress, referrer, price } = event.args;
  const hash = labelhash(subdomain);
  await learnLabel(context, log, hash, subdomain);
  const node = childNode(childNode(ETH_NODE, parent), hash);
  await appendEventAndHolders(context, log, { node, ownerAddress, details: { subdomain, referrer, price } });
});
