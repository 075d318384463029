import {
  type Abi,
  concat,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  toFunctionSelector,
} from "viem";

const BATCH = 400;

/** Where and when to ask: by default the newest block; `time` simulates another time of that block. */
export type Moment = { block?: bigint; time?: bigint };

/** A call of one view function of a contract. `data`, if given, replaces the encoded arguments. */
export type Question = { to: Hex; abi: Abi; functionName: string; args?: readonly unknown[]; data?: Hex };

type Reply<Result> = { id: number; result?: Result; error?: { message: string; data?: unknown } };

/** Sends many JSON-RPC requests at once and returns their answers in order. An answer that failed is its error. */
export async function requestMany<Result>(
  rpcUrl: string,
  requests: readonly { method: string; params: readonly unknown[] }[],
): Promise<({ result: Result } | { error: string })[]> {
  const answers: ({ result: Result } | { error: string })[] = [];
  for (let start = 0; start < requests.length; start += BATCH) {
    const batch = requests.slice(start, start + BATCH).map((request, id) => ({
      jsonrpc: "2.0",
      id,
      ...request,
    }));
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(batch),
    });
    const replies = (await response.json()) as Reply<Result>[];
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    for (const { id } of batch) answers.push(toAnswer(byId.get(id)));
  }
  return answers;
}

function toAnswer<Result>(reply: Reply<Result> | undefined): { result: Result } | { error: string } {
  if (reply?.error !== undefined) return { error: reply.error.message };
  if (reply?.result === undefined) return { error: "no answer" };
  return { result: reply.result };
}

/** Sends one JSON-RPC request. Throws when the node refuses it. */
export async function request<Result>(
  rpcUrl: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<Result> {
  const [answer] = await requestMany<Result>(rpcUrl, [{ method, params }]);
  if (answer === undefined || "error" in answer) throw new Error(`${method}: ${answer?.error}`);
  return answer.result;
}

/**
 * The contracts' answers in the order of the questions; null if a contract reverts, lacks the function or does not exist. Any
 * other failure of the node is thrown, so that it does not pass for an empty answer.
 */
export const ask = <Result>(
  rpcUrl: string,
  questions: readonly Question[],
  moment: Moment = {},
): Promise<(Result | null)[]> =>
  askEach(
    rpcUrl,
    questions.map((question) => ({ ...question, moment })),
  );

/** The same with an individual block and time for each question. */
export async function askEach<Result>(
  rpcUrl: string,
  questions: readonly (Question & { moment: Moment })[],
): Promise<(Result | null)[]> {
  const answers = await requestMany<Hex>(
    rpcUrl,
    questions.map(({ to, data, moment: { block, time }, ...call }) => ({
      method: "eth_call",
      params: [
        { to, data: data ?? encodeFunctionData(call) },
        block === undefined ? "latest" : toQuantity(block),
        ...(time === undefined ? [] : [{}, { time: toQuantity(time) }]),
      ],
    })),
  );
  return answers.map((answer, index) => toResult<Result>(answer, questions[index] as Question));
}

const multicallAbi = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
]);

/**
 * The same through Multicall3, many questions in one call, if the deployment has it (and had it at that block). A null in place
 * of a question is answered with null.
 */
export async function askTogether(
  { rpcUrl, deployment }: { rpcUrl: string; deployment: { multicall3?: Hex | undefined } },
  questions: readonly (Question | null)[],
  moment: Moment = {},
): Promise<unknown[]> {
  const asked = questions.filter((question) => question !== null);
  const answers: unknown[] = [];
  for (let start = 0; start < asked.length; start += BATCH) {
    const some = asked.slice(start, start + BATCH);
    const together = await askMulticall(rpcUrl, {
      multicall3: deployment.multicall3,
      questions: some,
      moment,
    });
    answers.push(...(together ?? (await ask(rpcUrl, some, moment))));
  }
  return questions.map((question) => (question === null ? null : answers.shift()));
}

async function askMulticall(
  rpcUrl: string,
  {
    multicall3,
    questions,
    moment,
  }: { multicall3: Hex | undefined; questions: readonly Question[]; moment: Moment },
): Promise<unknown[] | null> {
  if (multicall3 === undefined) return null;
  const calls = questions.map(({ to, data, ...call }) => ({
    target: to,
    allowFailure: true,
    callData: data ?? encodeFunctionData(call),
  }));
  const question = { to: multicall3, abi: multicallAbi, functionName: "aggregate3", args: [calls] };
  const [results] = await ask<{ success: boolean; returnData: Hex }[]>(rpcUrl, [question], moment);
  if (!results) return null;
  return results.map(({ success, returnData }, index) => {
    const asked = questions[index] as Question;
    return success ? toResult({ result: returnData }, asked) : null;
  });
}

/** A call's answer; null if it reverted, or no such function or contract exists. */
export function toResult<Result>(
  answer: { result: Hex } | { error: string },
  question: Question,
): Result | null {
  if ("error" in answer) {
    if (/revert|invalid opcode|EVM error|halt/i.test(answer.error)) return null;
    throw new Error(`eth_call ${question.functionName} of ${question.to}: ${answer.error}`);
  }
  if (answer.result === "0x") return null;
  const { abi, functionName } = question;
  return decodeFunctionResult({ abi, functionName, data: answer.result }) as Result;
}

/** Calldata with texts given as bytes, which may not be UTF-8: `string` and `bytes` have the same encoding. */
export function encodeRawCall(
  signature: string,
  args: readonly { type: "bytes32" | "bytes" | "uint256"; value: unknown }[],
): Hex {
  const words = encodeAbiParameters(
    args.map(({ type }) => ({ type })),
    args.map(({ value }) => value),
  );
  return concat([toFunctionSelector(signature), words]);
}

/** An integer as JSON-RPC writes it. */
export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;
