import { type Address, hexToBigInt, numberToHex } from "viem";
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

const AT_ONCE = 300;
const LABEL = "gifts";
const victim: Address = numberToHex(hexToBigInt("0x0b99000000000000000000000000000000000000"), { size: 20 });

/**
 * An attacker who gives a stranger more names than those whose events are in one list: the attacker pays, and the stranger's
 * history is long.
 */
export const attacksByEvents = ({ gifts }: { gifts: number }): readonly Attack[] => [
  {
    name: `${gifts.toLocaleString("en")} subnames that a stranger gives to one address`,
    run: async ({ chain, mallory }) => {
      const giver = addressOf(chain, "batch");
      await registerReferred(chain, { from: mallory, label: LABEL });
      const parent = [ethNode(LABEL), hashLabel("many"), giver];
      await send(chain, {
        from: mallory,
        contract: "registry",
        functionName: "setSubnodeOwner",
        args: parent,
      });
      const node = nodeBelow(ethNode(LABEL), "many");
      const calls = Array.from({ length: gifts }, (_, i) => ({
        from: mallory,
        contract: "registry",
        functionName: "setSubnodeOwner",
        args: [node, hashLabel(`gift${i}`), victim],
      }));
      while (calls.length > 0) await sendInBatch(chain, { from: mallory, calls: calls.splice(0, AT_ONCE) });
      return { names: [`many.${LABEL}.eth`], addresses: [victim, addressOf(chain, "registry")] };
    },
  },
];

/** Lists of events by filters that find nothing in a large set, or a large set without an index order. */
export const slowEvents: readonly string[] = [
  `/address/${victim}/events?type=subregistry&page_size=200`,
  `/address/${victim}/events?relation=name&sort_dir=asc&page_size=200`,
  `/address/0x${"0".repeat(40)}/events`,
  `/domain/many.${LABEL}.eth/events?children=true&page_size=200`,
  "/domain/eth/events?children=true",
  `/events?type=migration,expiry,subregistry&time_from=0&time_to=${Number.MAX_SAFE_INTEGER}&page_size=200`,
  "/events?block_from=1",
  `/events?chain=devnet&block_from=${2 ** 31 - 1}&block_to=0`,
  `/events?address=${victim}&contract=${victim}`,
  `/domain/vitalik.eth/events?record=text&record_key=${"k".repeat(1_000)}`,
  `/domain/vitalik.eth/events?record_key=%00%22%3A%22&coin_type=${"9".repeat(78)}`,
  `/domain/vitalik.eth/events?coin_type=${"9".repeat(78)}`,
];
