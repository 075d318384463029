import { readFileSync } from "node:fs";
import { z } from "zod";
import { type Deployment, deploymentShape, knownDeployments } from "../abis/deployments.ts";
import { complaint, SettingsError } from "./check.ts";
import { oneOf, text } from "./kinds.ts";
import { optional, type ValuesOf, withDefault } from "./variable.ts";

/** Which contracts are indexed. */
export const networkVariables = {
  ENS_NETWORK: withDefault("devnet", oneOf("devnet", "mainnet", "sepolia", "custom"), {
    example: "mainnet",
    meaning:
      "Network to index. `devnet` is the local chain of `npm run dev`; `custom` reads the contracts from a deployment file.",
  }),
  ENS_DEPLOYMENT: optional(text("the path of a deployment file", z.string().min(1)), {
    example: "./deployment.json",
    unset: "devnet: `.namedex/deployment.json`",
    meaning:
      "Path of the [deployment file](deployments.md); required with `ENS_NETWORK=custom`. `npm run dev` and `npm run devnet` write one for the local chain.",
  }),
};

type NetworkValues = ValuesOf<typeof networkVariables>;

export type Network = NetworkValues["ENS_NETWORK"];

/** The contracts of a public network, or those of the deployment file. */
export function readDeployment({ ENS_NETWORK: network, ENS_DEPLOYMENT: file }: NetworkValues): Deployment {
  if (network === "mainnet" || network === "sepolia") return knownDeployments[network]();
  if (network === "custom" && file === undefined)
    throw new SettingsError(complaint("ENS_DEPLOYMENT", networkVariables.ENS_DEPLOYMENT));
  return readDeploymentFile(file ?? ".namedex/deployment.json", network);
}

function readDeploymentFile(path: string, network: Network): Deployment {
  const content = readText(path, network);
  try {
    return deploymentShape.parse(JSON.parse(content));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new SettingsError(
      `ENS_DEPLOYMENT: ${path} is not a valid deployment file (see the example in docs/deployments.md):\n${reason}`,
    );
  }
}

function readText(path: string, network: Network): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    const remedy =
      network === "devnet"
        ? "run `npm run dev` or `npm run devnet` to create it"
        : "give the path of a file that exists";
    throw new SettingsError(`ENS_DEPLOYMENT: cannot read ${path}; ${remedy}`);
  }
}
