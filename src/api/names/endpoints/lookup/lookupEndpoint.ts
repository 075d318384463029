import { z } from "@hono/zod-openapi";
import type { ApiError } from "../../../server/errors/errors.ts";
import { endpoint } from "../../../server/http/endpoint.ts";
import { mapYielding } from "../../../server/scheduling/turns.ts";
import { hasPrimaryNames } from "../../resolution/resolvePrimaryNames.ts";
import { invalidInput, leftOut, lookedUpAddress, lookedUpName } from "../../schemas/answers.ts";
import { input } from "../../schemas/input.ts";
import { readSought, type Sought } from "../../schemas/lookup.ts";
import { recordChoiceBody, recordsAsked } from "../../schemas/recordChoice.ts";
import { addressDomains } from "../addressNamesEndpoints.ts";
import { parseOr } from "../bulkItems.ts";
import { fitItems } from "./fit.ts";
import { answerAddresses, type SoughtAddress } from "./lookupAddresses.ts";
import { answerNames, type SoughtName, toLeftOut } from "./lookupNames.ts";

/** Inputs in one request. */
export const MAX_INPUTS = 1_000;
/** Labels of all names together: ten for each. Each may be an ancestor to look up. */
export const MAX_LABELS = 10_000;
/** Coin types of primary names, and relations, in one request. */
const MAX_COIN_TYPES = 10;
const MAX_RELATIONS = 8;

const refuse = (issues: z.core.$RefinementCtx, code: string, message: string) => {
  issues.addIssue({ code: "custom", message, params: { code } });
  return z.NEVER;
};

const inputs = input
  .texts({
    description: `Names, namehashes (0x and 64 hexadecimal digits), addresses (0x and 40), and cursors from earlier answers, at most ${MAX_INPUTS}`,
    example: ["alice.eth", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"],
    minItems: 1,
    maxItems: MAX_INPUTS,
  })
  .transform((items, issues) => {
    if (items.length === 0)
      return refuse(issues, "MISSING_PARAMETER", "`inputs` must contain at least one input.");
    if (items.length <= MAX_INPUTS) return items;
    const message = `At most ${MAX_INPUTS} inputs at once; this request has ${items.length}.`;
    return refuse(issues, "LIMIT_EXCEEDED", message);
  });

const coinTypes = input
  .texts({
    description:
      "For addresses: coin types of the primary names to return, of EVM chains (ENSIP-11), or 2147483648 for the default one. 60 by default",
    example: ["60", "2147492101"],
    maxItems: MAX_COIN_TYPES,
  })
  .transform((words, issues) => {
    const isName = (word: string) => /^[0-9]{1,10}$/.test(word) && hasPrimaryNames(BigInt(word));
    if (words.length <= MAX_COIN_TYPES && words.every(isName)) return [...new Set(words.map(BigInt))];
    const message = `\`primary_names\` must be coin types of EVM chains in decimal digits, at most ${MAX_COIN_TYPES}.`;
    return refuse(issues, "INVALID_PARAMETER", message);
  });

const relations = input
  .texts({
    description: `For addresses: relations whose first 25 names to return, with the words of \`address_type\` in \`GET /address/{address}/domains\`, at most ${MAX_RELATIONS}. None by default`,
    example: ["effective_owner"],
    maxItems: MAX_RELATIONS,
  })
  .transform((words, issues) => {
    if (words.length > MAX_RELATIONS) {
      return refuse(issues, "INVALID_PARAMETER", `\`relations\` has more than ${MAX_RELATIONS} words.`);
    }
    const wrong = words.find((word) => !addressDomains.query.safeParse({ address_type: word }).success);
    if (wrong === undefined) return [...new Set(words)];
    return refuse(issues, "INVALID_PARAMETER", "`relations` has a word that `address_type` does not have.");
  });

const body = z.object({
  inputs,
  records: recordChoiceBody
    .optional()
    .openapi({ description: "For names: records to return. None by default" }),
  primary_name_check: z.boolean().default(false).openapi({
    description: "For names: also whether the name is the primary name of its Ethereum address",
  }),
  primary_names: coinTypes.default([60n]),
  relations: relations.default([]),
});

const lookup = endpoint({
  method: "post",
  path: "/lookup",
  group: "Lookups",
  summary: "Names, hashes and addresses with their records",
  description: `Up to ${MAX_INPUTS} inputs of any kind. Each result stands at the position of its input and has its own status, so none fails the others. All cover the same block. A name has \`domain\` as in \`/whois\` and records as in \`/domain/{name}/records\`. Results that do not fit are \`left_out\` or \`partial\`, with a cursor, as are names once all names together have more than ${MAX_LABELS} labels.`,
  body,
  reply: z.strictObject({
    results: z.array(z.union([lookedUpName, lookedUpAddress, invalidInput, leftOut])),
  }),
  errors: ["LIMIT_EXCEEDED"],
  cost: ({ inputs }) => inputs.length,
  tool: "lookup",
  handle: async (request, ctx) => {
    const asked = request.records ? recordsAsked(request.records) : null;
    const read = await mapYielding(request.inputs, (one) =>
      parseOr(one, (text) => readSought(text, asked), toInvalid),
    );
    const fitting = withinLabels(read);
    const names = fitting.filter((one) => isOf(one, "name")) as SoughtName[];
    const addresses = fitting.filter((one) => isOf(one, "address")) as SoughtAddress[];
    const choice = { coinTypes: request.primary_names, relations: request.relations };
    const [ofNames, ofAddresses] = await Promise.all([
      answerNames(ctx, names, { records: asked, primaryNameCheck: request.primary_name_check }),
      answerAddresses(ctx, { addresses, choice }),
    ]);
    const answers = new Map<unknown, (typeof ofNames | typeof ofAddresses)[number]>([
      ...names.map((name, i) => [name, ofNames[i]] as const),
      ...addresses.map((address, i) => [address, ofAddresses[i]] as const),
    ] as never);
    const items = fitting.map((one) =>
      "status" in one ? one : (answers.get(one) as (typeof ofNames)[number]),
    );
    return { results: await fitItems(items) };
  },
});

type Invalid = z.input<typeof invalidInput>;
type Read = Sought | Invalid;

const isOf = (one: Read | ReturnType<typeof toLeftOut>, kind: Sought["kind"]): boolean =>
  "kind" in one && one.kind === kind;

const toInvalid = (input: string, { code, message }: ApiError): Invalid => ({
  kind: "invalid",
  input,
  status: "invalid",
  error: { code, message },
});

const labelsOf = (one: Read): number =>
  "kind" in one && one.kind === "name" && "name" in one.requested ? one.requested.name.split(".").length : 0;

/** Names with the fewest labels are answered first, so that one name of 512 labels does not displace many others. */
function withinLabels(read: readonly Read[]): (Read | ReturnType<typeof toLeftOut>)[] {
  const counted = read.map((one) => ({ one, labels: labelsOf(one) }));
  if (counted.reduce((sum, { labels }) => sum + labels, 0) <= MAX_LABELS) return [...read];
  let labels = 0;
  const refused = new Set<Read>();
  for (const next of counted.sort((a, b) => a.labels - b.labels)) {
    labels += next.labels;
    if (labels > MAX_LABELS) refused.add(next.one);
  }
  return read.map((one) => (refused.has(one) ? toLeftOut(one.input, "no room") : one));
}

export const batchEndpoints = [lookup];
