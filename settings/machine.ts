import { resolve } from "node:path";
import { check, type Given } from "./check.ts";
import { digits, oneOf, text } from "./kinds.ts";
import { optional, withDefault } from "./variable.ts";

/** What depends on the machine. Node reads NODE_OPTIONS and Ponder PONDER_CACHE_BYTES by themselves. */
export const machineVariables = {
  NAMEDEX_HOME: withDefault(".namedex", text("the path of a folder"), {
    meaning:
      "Folder of what `npm run dev` and `npm run devnet` keep: PostgreSQL's data, logs, the deployment file.",
  }),
  DEVNET_CHAINS: withDefault("3", oneOf("1", "3"), {
    meaning:
      "How many local chains `npm run dev` and `npm run devnet` start: the main chain alone, or also the layer 2s of `base.eth` and `linea.eth`.",
  }),
  DEVNET_ENSV2: withDefault("off", oneOf("off", "on"), {
    meaning:
      "Whether ENSv2 stands beside ENSv1 on the local main chain of `npm run dev` and `npm run devnet`, and names go there at the end of its story.",
  }),
  PONDER_CACHE_BYTES: optional(digits({ from: 1, to: Number.MAX_SAFE_INTEGER, unit: "bytes" }), {
    example: "11274289152",
    unset: "by the machine's memory",
    meaning:
      "How much of its tables the indexer keeps in memory. `npm start` takes all but 1.5 GiB of Node's heap ([performance.md](performance.md#memory)).",
  }),
  NODE_OPTIONS: optional(text("options of Node.js"), {
    example: "--max-old-space-size=12288",
    unset: "by the machine's memory",
    meaning:
      "Options of Node.js. `--max-old-space-size` is the size of its heap in MiB; `npm start` takes three quarters of the machine's memory unless it is set here. From 4,096 on it adds flags of V8 that make a first index faster ([which](performance-results.md#nodes-memory)), unless they are set here.",
  }),
};

/** The folder of what `npm run dev` and `npm run devnet` keep. */
export const readHome = (env: Given): string =>
  resolve(check({ NAMEDEX_HOME: machineVariables.NAMEDEX_HOME }, env).NAMEDEX_HOME);

/** Whether layer 2s run beside the local main chain. */
export const readHasLayer2 = (env: Given): boolean =>
  check({ DEVNET_CHAINS: machineVariables.DEVNET_CHAINS }, env).DEVNET_CHAINS === "3";

/** Whether ENSv2 stands on the local main chain. */
export const readHasEnsv2 = (env: Given): boolean =>
  check({ DEVNET_ENSV2: machineVariables.DEVNET_ENSV2 }, env).DEVNET_ENSV2 === "on";
