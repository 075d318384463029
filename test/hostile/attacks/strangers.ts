import { ethNode } from "../../../devnet/acts.ts";
import type { Attack } from "../attack.ts";
import { emit } from "../logs.ts";
import { randomLogs } from "../randomLogs.ts";
import { VICTIM } from "../stage.ts";

/** As many as are emitted in one block. */
const LOGS_A_BLOCK = 2_000;

/** Contracts of strangers that emit every event that we follow from any contract. */
export const attacksByStrangers = ({ seed, logs }: { seed: number; logs: number }): readonly Attack[] => [
  {
    name: `${logs.toLocaleString("en")} random logs of a stranger's contract`,
    run: async (stage) => {
      const nodes = [ethNode("alice"), ethNode("unregistered"), `0x${"00".repeat(32)}`] as const;
      const all = randomLogs(seed, { count: logs, nodes });
      for (let next = 0; next < all.length; next += LOGS_A_BLOCK) {
        await emit(stage, "logEmitter", all.slice(next, next + LOGS_A_BLOCK));
      }
      return { names: [VICTIM], nodes, keys: ["url", "avatar", "[", "%"] };
    },
  },
];
