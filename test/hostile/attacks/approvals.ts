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
import { type HostileStage, VICTIM } from "../stage.ts";

/** Number of approvals in one transaction. */
const AT_ONCE = 400;
const LABEL = "approvals";

const accountOf = (number: number): Address =>
  numberToHex(hexToBigInt("0x0a99000000000000000000000000000000000000") + BigInt(number), { size: 20 });

/** Makes calls through a contract that anyone can use, some at a time. */
async function callMany(
  { chain, mallory }: HostileStage,
  count: number,
  callOf: (account: Address) => { contract: string; functionName: string; args: unknown[] },
): Promise<void> {
  const calls = Array.from({ length: count }, (_, i) => ({ from: mallory, ...callOf(accountOf(i)) }));
  while (calls.length > 0) await sendInBatch(chain, { from: mallory, calls: calls.splice(0, AT_ONCE) });
}

/** Attackers who approve as many accounts as they can pay for, or let others write the victim's records. */
export const attacksByApprovals = ({ approvals }: { approvals: number }): readonly Attack[] => [
  {
    name: `an owner with ${approvals.toLocaleString("en")} operators`,
    run: async (stage) => {
      const { chain, mallory } = stage;
      const owner = addressOf(chain, "batch");
      await registerReferred(chain, { from: mallory, label: LABEL });
      const args = [ethNode(LABEL), hashLabel("crowd"), owner];
      await send(chain, { from: mallory, contract: "registry", functionName: "setSubnodeOwner", args });
      await callMany(stage, approvals, (operator) => ({
        contract: "registry",
        functionName: "setApprovalForAll",
        args: [operator, true],
      }));
      return {
        names: [`crowd.${LABEL}.eth`],
        nodes: [nodeBelow(ethNode(LABEL), "crowd")],
        addresses: [owner, accountOf(0)],
      };
    },
  },
  {
    name: `${approvals.toLocaleString("en")} delegates that a stranger gives to the records of another's name`,
    run: async (stage) => {
      const [label = ""] = VICTIM.split(".");
      await callMany(stage, approvals, (delegate) => ({
        contract: "resolver5",
        functionName: "approve",
        args: [ethNode(label), delegate, true],
      }));
      return { names: [VICTIM], addresses: [accountOf(0)] };
    },
  },
];
