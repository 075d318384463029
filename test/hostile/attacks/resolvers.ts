import { zeroAddress } from "viem";
import {
  addressOf,
  ethNode,
  hashLabel,
  nodeBelow,
  registerReferred,
  send,
  sendInBatch,
} from "../../../devnet/acts.ts";
import type { Attack } from "../attack.ts";
import { askCrowd } from "./crowd.ts";

const AT_ONCE = 200;
const LABEL = "pointed";

/** An attacker who points more names at one resolver than any list shows: all callers' lists of it are long. */
export const attacksByResolvers = ({ pointed }: { pointed: number }): readonly Attack[] => [
  {
    name: `${pointed.toLocaleString("en")} names that a stranger points at one resolver`,
    run: async (stage) => {
      const { chain, mallory, stack } = stage;
      const [giver, resolver] = [addressOf(chain, "batch"), addressOf(chain, "resolver5")];
      await registerReferred(chain, { from: mallory, label: LABEL });
      const args = [ethNode(LABEL), hashLabel("many"), giver];
      await send(chain, { from: mallory, contract: "registry", functionName: "setSubnodeOwner", args });
      const node = nodeBelow(ethNode(LABEL), "many");
      const calls = Array.from({ length: pointed }, (_, i) => ({
        from: mallory,
        contract: "registry",
        functionName: "setSubnodeRecord",
        args: [node, hashLabel(`point${i}`), giver, resolver, 0n],
      }));
      while (calls.length > 0) await sendInBatch(chain, { from: mallory, calls: calls.splice(0, AT_ONCE) });
      await stack.waitForHead();
      const lists = [
        ...["names", "names?page_size=200", "names?sort_dir=desc&page_size=200", "names?page=4"].map(
          (list) => `/resolver/${resolver}/${list}`,
        ),
        `/resolver/${resolver}?page_size=200`,
        `/contract/${resolver}/events?page_size=200`,
        `/address/${zeroAddress}/resolves-to?page_size=200`,
        `/events?contract=${resolver}&type=subregistry&page_size=200`,
      ];
      const requests = Array.from({ length: 10 }, () => lists).flatMap((paths) =>
        paths.map((path): [string] => [path]),
      );
      await askCrowd(stage, { requests, atOnce: 20, statuses: [200] });
      return {
        names: [`many.${LABEL}.eth`, `point0.many.${LABEL}.eth`],
        nodes: [node],
        addresses: [resolver, giver],
      };
    },
  },
];
