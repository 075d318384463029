import { resolve } from "node:path";
import { check, type Given } from "./check.ts";
import { digits, oneOf, text } from "./kinds.ts";
import { optional, withDefault } from "./variable.ts";

/** Settings for the machine. Node reads NODE_OPTIONS and Ponder PONDER_CACHE_BYTES by themselves. */
export const machineVariables = {
  NAMEDEX_HOME: withDefault(".namedex", text("the path of a folder"), {
    meaning:
      "Folder where `npm run dev` and `npm run devnet` store PostgreSQL's data, logs and the deployment file.",
  }),
  DEVNET_CHAINS: withDefault("3", oneOf("1", "3"), {
    meaning:
      "Number of local chains that `npm run dev` and `npm run devnet` start: only the main chain, or also the layer 2s of `base.eth` and `linea.eth`.",
  }),
  DEVNET_ENSV2: withDefault("off", oneOf("off", "on"), {
    meaning:
      "Deploys ENSv2 beside ENSv1 on the local main chain of `npm run dev` and `npm run devnet`; the demo ends by migrating names to it.",
  }),
  PONDER_CACHE_BYTES: optional(digits({ from: 1, to: Number.MAX_SAFE_INTEGER, unit: "bytes" }), {
    example: "11274289152",
    unset: "from the machine's memory",
    meaning:
      "Memory the indexer uses to cache its tables. By default, `npm start` uses all but 1.5 GiB of Node's heap ([performance.md](performance.md#memory)).",
  }),
  NODE_OPTIONS: optional(text("Node.js options"), {
    example: "--max-old-space-size=12288",
    unset: "from the machine's memory",
    meaning:
      "Options for Node.js. `--max-old-space-size` sets the heap in MiB; by default, `npm start` uses three quarters of the machine's memory. With 4,096 or more, it also adds [V8 flags](performance.md#memory), unless you set them.",
  }),
};

/** The folder of what `npm run dev` and `npm run devnet` keep. */
export const readHome = (env: Given): string =>
  resolve(check({ NAMEDEX_HOME: machineVariables.NAMEDEX_HOME }, env).NAMEDEX_HOME);

/** Whether layer 2s run beside the local main chain. */
export const readHasLayer2 = (env: Given): boolean =>
  check({ DEVNET_CHAINS: machineVariables.DEVNET_CHAINS }, env).DEVNET_CHAINS === "3";

/** Whether ENSv2 is deployed on the local main chain. */
export const readHasEnsv2 = (env: Given): boolean =>
  check({ DEVNET_ENSV2: machineVariables.DEVNET_ENSV2 }, env).DEVNET_ENSV2 === "on";
