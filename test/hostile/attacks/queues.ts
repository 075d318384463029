import { type Address, getAddress, zeroAddress } from "viem";
import { emitterOn } from "../../chain/emittedLogs.ts";
import {
  ALICE,
  BOB,
  deployProxy,
  ETH,
  foundations,
  link,
  register,
  registeredEntry,
} from "../../chain/ensv2Logs.ts";
import type { Attack } from "../attack.ts";

const BIG: Address = getAddress(`0x${"91".repeat(20)}`);
/** As many as fit into one block of the local chain. */
const ENTRIES_A_BLOCK = 600;
/** Number of links in one transaction. */
const LINKS_AT_ONCE = 500;

const set = (subregistry: Address) => link(ETH, { label: "attack", subregistry });

/** With ENSv2 indexed: `queues.test.ts` shows the effect on it and on others. */
export const attacksByQueues = ({ entries }: { entries: number }): readonly Attack[] => [
  {
    name: `a registry of ${entries.toLocaleString("en")} entries that is linked and unlinked ${LINKS_AT_ONCE} times`,
    run: async ({ local }) => {
      const emit = await emitterOn(local.chain, local);
      await emit(...foundations(), ...deployProxy(BIG), ...register(ETH, { label: "attack", owner: ALICE }));
      const all = Array.from({ length: entries }, (_, number) =>
        registeredEntry(BIG, { label: `e${number}`, owner: BOB }),
      );
      while (all.length > 0) await emit(...all.splice(0, ENTRIES_A_BLOCK));
      await emit(
        ...Array.from({ length: LINKS_AT_ONCE }, () => [set(BIG), set(zeroAddress)]).flat(),
        set(BIG),
      );
      return { names: ["attack.eth", "e1.attack.eth"], addresses: [BOB] };
    },
  },
];
