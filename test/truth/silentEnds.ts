import { type Hex, parseAbi, zeroAddress } from "viem";
import { askEach } from "./chainReads.ts";
import type { Judge } from "./judge.ts";
import { hashOfId } from "./names.ts";
import { lower } from "./permissionAttempts.ts";

/*
 * A transfer to the holder itself, and a subname given to its holder again, end the approval for a token of the NameWrapper
 * without a transfer log: the approval is deleted before the contract sees that the holder stays. An index of logs cannot know
 * that. Source: ens-contracts, contracts/wrapper/ERC1155Fuse.sol, `_transfer`; NameWrapper.sol, `_beforeTransfer`.
 */

const abi = parseAbi(["function getApproved(uint256 id) view returns (address)"]);

/**
 * Accounts whose approval for a token ended this way, by node: it is the wrapper's last log about the token's holder, the wrapper
 * returned it in the log's block, and returns none now.
 */
export async function findSilentEnds(
  { rpcUrl, logs }: Pick<Judge, "rpcUrl" | "logs">,
  wrapper: Hex | undefined,
): Promise<Map<Hex, Hex>> {
  if (wrapper === undefined) return new Map();
  const last = new Map<Hex, { approved: Hex; block: bigint } | null>();
  for (const { role, eventName, args, blockNumber } of logs) {
    if (role !== "wrapper") continue;
    if (eventName === "Approval")
      last.set(hashOfId(args.tokenId as bigint), {
        approved: lower(args.approved),
        block: BigInt(blockNumber),
      });
    const moved = eventName === "TransferSingle" ? [args.id] : eventName === "TransferBatch" ? args.ids : [];
    for (const id of moved as bigint[]) last.set(hashOfId(id), null);
  }
  const given = [...last].flatMap(([node, one]) =>
    one === null || one.approved === zeroAddress ? [] : [{ node, ...one }],
  );
  // At time 0 no token has ended: its approval is returned as stored.
  const answers = await askEach<Hex>(
    rpcUrl,
    given.flatMap(({ node, block }) => {
      const question = { to: wrapper, abi, functionName: "getApproved", args: [BigInt(node)] };
      return [
        { ...question, moment: { block, time: 0n } },
        { ...question, moment: { time: 0n } },
      ];
    }),
  );
  return new Map(
    given.flatMap(({ node, approved }, i) => {
      const [then, now] = answers.slice(i * 2, i * 2 + 2);
      return lower(then) === approved && now === zeroAddress ? [[node, approved] as const] : [];
    }),
  );
}
