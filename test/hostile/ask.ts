import assert from "node:assert/strict";
import ICAL from "ical.js";
import { recordTypes } from "../../src/api/names/schemas/recordChoice.ts";
import { type ErrorBody, errorCodes } from "../../src/api/server/errors/errors.ts";
import { MAX_JSON_BYTES } from "../../src/api/server/http/writeReply.ts";
import type { Traces } from "./attack.ts";
import type { Operation } from "./operations.ts";
import type { HostileStage } from "./stage.ts";

/** One request of one operation. `body` is sent unchanged. */
export type Asked = { operation: Operation; path: string; body?: string };

/** The outcome of a request. */
export type Answered = { path: string; status: number; bytes: number };

/** Node's own HTTP server rejects longer headers, including the path, before our code reads them. */
const TOO_LONG = 431;

/**
 * Sends a request, and throws unless the answer is one that the operation declares, in the contract's form and within its limit.
 */
async function ask({ stack }: HostileStage, { operation, path, body }: Asked): Promise<Answered> {
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${stack.url}${path}`, {
    method: operation.method.toUpperCase(),
    headers,
    ...(body !== undefined && { body }),
  });
  const text = await reply.text();
  const what = `${path.slice(0, 200)}: ${reply.status} ${text.slice(0, 300)}`;
  const bytes = Buffer.byteLength(text);
  assert(bytes <= MAX_JSON_BYTES, `${path.slice(0, 200)}: ${bytes} bytes`);
  if (reply.status === TOO_LONG) return { path, status: reply.status, bytes };
  const type = reply.headers.get("content-type");
  if (type?.startsWith("image/")) {
    assert.equal(reply.status, 200, what);
    return { path, status: reply.status, bytes };
  }
  const isCalendar = type?.startsWith("text/calendar");
  if (isCalendar) new ICAL.Component(ICAL.parse(text));
  const parsed = isCalendar ? {} : (JSON.parse(text) as Partial<ErrorBody>);
  if (reply.status === 200) return { path, status: reply.status, bytes };
  const { code, message } = parsed.error ?? {};
  assert(code !== undefined && code !== "INTERNAL_ERROR" && (message?.length ?? 0) > 0, what);
  // An empty parameter makes another path.
  assert([...operation.statuses, errorCodes.NOT_FOUND.status].includes(reply.status), what);
  assert.equal(reply.status, errorCodes[code].status, what);
  return { path, status: reply.status, bytes };
}

const encode = encodeURIComponent;
const filled = (values: readonly string[] | undefined, other: string): readonly string[] =>
  values === undefined || values.length === 0 ? [other] : values;

/** Values for the parameters of a path, from what an attack has touched. */
const valuesOf = ({
  names,
  nodes,
  labelhashes,
  addresses,
  keys,
}: Traces): Record<string, readonly string[]> => ({
  name: filled(names, "alice.eth"),
  hash: filled([...(nodes ?? []), ...(labelhashes ?? [])], `0x${"ab".repeat(32)}`),
  address: filled(addresses, `0x${"00".repeat(20)}`),
  key: filled(keys, "avatar"),
  agentId: ["0", "1", "9".repeat(78)],
});

function pathsOf(path: string, values: Record<string, readonly string[]>): string[] {
  const parameter = /\{(\w+)\}/.exec(path)?.[1];
  if (parameter === undefined) return [path];
  return (values[parameter] ?? [""]).flatMap((value) =>
    pathsOf(
      path.replace(`{${parameter}}`, () => encode(value)),
      values,
    ),
  );
}

/** Every kind of record. */
export const allRecords = { types: recordTypes, cleared: true };

const bodies: Record<string, (traces: Traces) => unknown> = {
  "/whois/bulk": ({ names = [], nodes = [] }) => ({
    names: names.slice(0, 100),
    namehashes: nodes.slice(0, 100),
  }),
  "/address/primary-names/bulk": ({ addresses = [] }) => ({ addresses }),
  "/lookup": ({ names = [], nodes = [], addresses = [] }) => ({
    inputs: [...names, ...nodes, ...addresses].slice(0, 100),
    records: allRecords,
    primary_name_check: true,
    relations: ["effective_owner", "manager"],
  }),
};

/** Every operation of the API, asked about everything that an attack has touched. */
export function questionsAbout({ operations }: HostileStage, traces: Traces): Asked[] {
  const values = valuesOf(traces);
  return operations.flatMap((operation) => {
    if (operation.method === "get")
      return pathsOf(operation.path, values).map((path) => ({ operation, path }));
    const body = bodies[operation.path]?.(traces);
    return body === undefined ? [] : [{ operation, path: operation.path, body: JSON.stringify(body) }];
  });
}

/** Asks many questions, some at a time. Returns the answers. */
export async function askAll(stage: HostileStage, questions: readonly Asked[]): Promise<Answered[]> {
  const waiting = [...questions];
  const answers: Answered[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      answers.push(await ask(stage, next));
  };
  await Promise.all(Array.from({ length: 4 }, work));
  return answers;
}
