import { encodeFunctionData, type Hex } from "viem";
import { askEach, type Question, requestMany, toQuantity, toResult } from "./chainReads.ts";

/** A question about one second, for the state of one block. */
export type PastQuestion = Question & { moment: { block: bigint; time: bigint } };

type OfBlock = { block: bigint; seconds: [time: bigint, questions: PastQuestion[]][] };
type Call = { status: Hex; returnData: Hex };
type Simulated = { calls: Call[] }[];

/**
 * The contracts' answers at many seconds of past blocks. A node copies its whole state for each call about the past, so one
 * simulation asks everything about a block, its seconds in order. If the node refuses that for a block, as some do for a second
 * that is not after the block's own, each call is made separately.
 */
export async function askPast(
  rpcUrl: string,
  questions: readonly PastQuestion[],
): Promise<Map<PastQuestion, unknown>> {
  const blocks = [...Map.groupBy(questions, ({ moment }) => moment.block)].map(toOfBlock);
  const simulated = await requestMany<Simulated>(rpcUrl, blocks.map(toSimulation));
  const told = new Map<PastQuestion, unknown>();
  for (const [index, { seconds }] of blocks.entries()) {
    const asked = seconds.flatMap(([, ofSecond]) => ofSecond);
    const answer = simulated[index];
    const results =
      answer !== undefined && "result" in answer
        ? answer.result.flatMap(({ calls }) => calls).map((call, i) => resultOf(call, asked[i]))
        : await askEach(rpcUrl, asked);
    if (results.length !== asked.length)
      throw new Error(`${results.length} answers to ${asked.length} calls`);
    for (const [i, question] of asked.entries()) told.set(question, results[i]);
  }
  return told;
}

function toOfBlock([block, questions]: [bigint, PastQuestion[]]): OfBlock {
  const seconds = [...Map.groupBy(questions, ({ moment }) => moment.time)];
  return { block, seconds: seconds.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

const toSimulation = ({ block, seconds }: OfBlock) => ({
  method: "eth_simulateV1",
  params: [{ blockStateCalls: seconds.map(toSecond) }, toQuantity(block)],
});

const toSecond = ([time, questions]: OfBlock["seconds"][number]) => ({
  blockOverrides: { time: toQuantity(time) },
  calls: questions.map(({ to, data, ...call }) => ({ to, data: data ?? encodeFunctionData(call) })),
});

/** A call without success was ended by the contract: any other failure fails the whole simulation. */
function resultOf({ status, returnData }: Call, question: PastQuestion | undefined): unknown {
  if (question === undefined) throw new Error("More calls were answered than asked");
  return Number(status) === 1 ? toResult({ result: returnData }, question) : null;
}
