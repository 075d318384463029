import { ethNode, rpc } from "../../../devnet/acts.ts";
import type { Attack } from "../attack.ts";
import { emit } from "../logs.ts";
import { randomLogs } from "../randomLogs.ts";
import { VICTIM } from "../stage.ts";

type Size = { seed: number; turns: number; depth: number };

/**
 * A chain that goes back and forth, as far as it can before Ponder treats its blocks as final: each turn undoes rows and the
 * journal.
 */
export const attacksByBranches = ({ seed, turns, depth }: Size): readonly Attack[] => [
  {
    name: `${turns} reorganisations of ${depth} blocks`,
    run: async (stage) => {
      const nodes = [ethNode("alice"), ethNode("unregistered")] as const;
      const grow = async (blocks: number, branch: number) => {
        for (const log of randomLogs(seed + branch, { count: blocks, nodes })) {
          await emit(stage, "logEmitter", [log]);
        }
      };
      await grow(depth + 1, 0);
      for (let turn = 1; turn <= turns; turn++) {
        await stage.stack.waitForHead(); // Anvil forgets blocks at once: their logs are indexed first.
        await rpc(stage.chain, "anvil_rollback", [depth]);
        await grow(depth + 1, turn);
      }
      return { names: [VICTIM], nodes };
    },
  },
];
