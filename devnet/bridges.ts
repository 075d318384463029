import { namehash } from "viem";
import { dnsEncode } from "./acts/names.ts";
import type { Chain } from "./acts.ts";
import {
  addressOf,
  ethNode,
  registerReferred,
  setResolver,
  setSubnodeRecord,
  setText,
  writeRecord,
  YEAR,
} from "./acts.ts";
import type { Cast, Chapter } from "./chapters.ts";
import { create, type DeployedContract, double, startDeployment, toContracts } from "./deployer.ts";
import { GATEWAY_SIGNER } from "./gateway.ts";

/*
 * The main chain's end of the layer 2s: the names that they keep the subnames of, and the resolvers that answer for these
 * subnames from the layer 2.
 */

/** Puts a bridge resolver for each layer 2 on the main chain: `baseBridge`, `lineaBridge`. */
export async function deployBridges(
  { client, contracts }: Chain,
  { gatewayUrl }: { gatewayUrl: string },
): Promise<Record<string, DeployedContract>> {
  const deployer = await startDeployment(client);
  for (const label of ["base", "linea"]) {
    await create(deployer, `${label}Bridge`, double("BridgeResolverDouble"), [
      gatewayUrl,
      GATEWAY_SIGNER,
      dnsEncode([label, "eth"]),
      contracts.resolver5?.address,
    ]);
  }
  return toContracts(deployer);
}

/** What the main chain's story has besides where layer 2s run beside it. */
export const bridgeChapters: readonly Chapter[] = [
  { day: 18n, title: "base.eth and linea.eth", play: playBridges },
  { day: 970n, title: "gov.base.eth", play: playGov },
];

async function playBridges({ chain, deployer }: Cast): Promise<void> {
  for (const label of ["base", "linea"]) {
    const [resolver, node] = ["resolver5", ethNode(label)];
    await registerReferred(chain, { from: deployer, label, duration: 10n * YEAR, resolver });
    const description = `${label}.eth, whose subnames are on a layer 2`;
    await setText(chain, { from: deployer, resolver, node, key: "description", value: description });
    const bridge = addressOf(chain, `${label}Bridge`);
    await setResolver(chain, { from: deployer, node, resolver: bridge });
  }
}

/** A node of the main chain with a resolver of its own: it answers for the name, whatever Base has. */
async function playGov({ chain, deployer, bob }: Cast): Promise<void> {
  const [resolver, parent, node] = ["resolver5", ethNode("base"), namehash("gov.base.eth")];
  const owner = { owner: deployer, resolver: addressOf(chain, resolver) };
  await setSubnodeRecord(chain, { from: deployer, parent, label: "gov", ...owner });
  const value = "on Ethereum, which answers";
  await setText(chain, { from: deployer, resolver, node, key: "description", value });
  await writeRecord(chain, { from: deployer, resolver, node, write: { kind: "addr", address: bob } });
}
