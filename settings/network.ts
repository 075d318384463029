import { readFileSync } from "node:fs";
import { z } from "zod";
import { type Deployment, deploymentShape, knownDeployments } from "../abis/deployments.ts";
import { complaint, SettingsError } from "./fault.ts";

/** Which contracts are followed. */
export const networkVariables = z.object({
  ENS_NETWORK: z.enum(["devnet", "mainnet", "sepolia", "custom"]).default("devnet"),
  ENS_DEPLOYMENT: z.string().min(1).optional(),
});

export const networkExpectations = {
  ENS_NETWORK: ["one of devnet, mainnet, sepolia, custom", "mainnet"],
  ENS_DEPLOYMENT: ["the path of a deployment file", "./deployment.json"],
} as const;

type NetworkValues = z.output<typeof networkVariables>;

export type Network = NetworkValues["ENS_NETWORK"];

/** The contracts of a public network, or those of the deployment file. */
export function readDeployment({ ENS_NETWORK: network, ENS_DEPLOYMENT: file }: NetworkValues): Deployment {
  if (network === "mainnet" || network === "sepolia") return knownDeployments[network]();
  if (network === "custom" && file === undefined)
    throw new SettingsError(complaint("ENS_DEPLOYMENT", undefined, networkExpectations.ENS_DEPLOYMENT));
  const path = file ?? ".namedex/deployment.json";
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    const remedy =
      network === "devnet"
        ? "run `npm run dev` or `npm run devnet`, which write it"
        : "give the path of a file that exists";
    throw new SettingsError(`ENS_DEPLOYMENT: ${path} cannot be read; ${remedy}`);
  }
  try {
    return deploymentShape.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new SettingsError(
      `ENS_DEPLOYMENT: ${path} is not a deployment file (the README has an example):\n${reason}`,
    );
  }
}
