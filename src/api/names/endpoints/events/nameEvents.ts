import { z } from "@hono/zod-openapi";
import { ApiError } from "../../../server/errors/errors.ts";
import { endpoint } from "../../../server/http/endpoint.ts";
import type { EventFilters } from "../../query/eventFilters.ts";
import { hasMoreChildren, listEventPage } from "../../query/eventLists.ts";
import { eventKeys } from "../../query/eventRows.ts";
import { MAX_NAMES } from "../../query/eventSources.ts";
import { readSection } from "../../query/list.ts";
import { historyGap } from "../../resolution/ensv2/followed.ts";
import { chainsOfChildren, chainsOfName } from "../../resolution/nameChains.ts";
import { recordFamilies } from "../../rules/eventTypes.ts";
import { event, historyFields, isIncomplete } from "../../schemas/answers.ts";
import { input, type ParsedName } from "../../schemas/input.ts";
import { historyPage } from "../../schemas/paging.ts";
import { NEWEST, openHistory } from "../../serializers/historyPages.ts";
import { toEventRecord } from "../../serializers/toEvent.ts";
import { chainsOf, filters, filtersOf, listedOn, RESOLVERS, toEvents } from "./filterParameters.ts";

const coinType = () =>
  z
    .string()
    .regex(/^(0|[1-9][0-9]{0,77})$/, {
      error: () => "`coin_type` must be a whole number of at most 78 digits.",
    })
    .transform(BigInt)
    .openapi({
      type: "string",
      example: "60",
      description: "Changes to the address of this coin type (SLIP-44, ENSIP-11)",
    });

const parameters = z.object({
  ...filters(),
  record: input.list(recordFamilies, "record", "Changes to these records, separated by commas").optional(),
  record_key: input
    .text("record_key", { max: 1_000, description: "Changes to the text with this key", example: "url" })
    .optional(),
  coin_type: coinType().optional(),
  children: input.flag(
    "children",
    `\`true\` adds the events of direct subnames, if there are at most ${MAX_NAMES}`,
  ),
  sort_dir: input.sortDir(),
  ...historyPage(),
});

type Request = z.output<typeof parameters>;

export const domainEvents = endpoint({
  method: "get",
  path: "/domain/{name}/events",
  group: "Domains",
  summary: "Events of a name",
  description: `Contract events of a name, oldest first. ${RESOLVERS} A name below a layer 2's managed name has the events of both chains, marked by \`chain\`. ${NEWEST} With \`record\`, \`record_key\` or \`coin_type\` it is the history of records: changes at every resolver that the name had, and the events that end or replace all records (\`VersionChanged\`, \`Cleared\`, \`Linked\`, a new resolver). What time alone ends, such as a registration or its grace, is not an event: see the ownership history.`,
  params: z.object({ name: input.name() }),
  query: parameters,
  emptyParam: "record_key",
  reply: z.strictObject({ events: z.array(event), ...historyFields, is_incomplete: isIncomplete }),
  errors: ["INVALID_NAME", "LIMIT_EXCEEDED"],
  cost: 1,
  tool: { name: "get_domain_history", view: "events" },
  handle: async (request, ctx) => {
    const { name, children, sort_dir: direction } = request;
    const all = await (children ? chainsOfChildren(ctx, name) : chainsOfName(ctx, name));
    const chains = chainsOf(ctx, request, all);
    const { section, fields } = openHistory("/domain/{name}/events", request, eventKeys("events", direction));
    const listed = listedOn(ctx, chains);
    if (children && (await hasMoreChildren(ctx.db, { node: name.node, chains }))) throw tooManyChildren();
    const query = {
      source: { kind: "names", names: { of: children ? "parent" : "one", name: name.node }, chains, listed },
      filters: { ...filtersOf(request), ...recordsOf(request) },
      listed,
    } as const;
    const found = await readSection(section, direction, (part, direction) =>
      listEventPage(ctx.db, { ...query, part, direction }),
    );
    const events = isPlain(request)
      ? found.rows.map((row) => toEventRecord(row, ctx, { name: nameOfRow(name, row) }))
      : await toEvents(ctx, found.rows, (row) => nameOfRow(name, row));
    return {
      events,
      ...fields(found),
      ...(await historyGap(ctx, name)),
    };
  },
});

/** Whether the request wants all events of the name, in the contract's order. They have the name as the caller wrote it. */
const isPlain = (asked: Request): boolean =>
  !asked.children && asked.sort_dir === "asc" && filterNames.every((name) => asked[name] === undefined);

const filterNames = [...Object.keys(filters()), "record", "record_key", "coin_type"] as (keyof Request)[];

/** A key is of a text, and a coin type of an address. */
function recordsOf({
  record,
  record_key: key,
  coin_type: coinType,
}: Request): Pick<EventFilters, "records" | "key" | "coinType"> {
  if (key !== undefined && coinType !== undefined) {
    throw new ApiError(
      "INVALID_PARAMETER",
      "`record_key` applies to texts and `coin_type` to addresses: send one of them.",
    );
  }
  if (key !== undefined) return { records: ["text"], key };
  return coinType === undefined ? { records: record } : { records: ["addr"], coinType };
}

const nameOfRow = ({ name, node, labelhash }: ParsedName, row: { node: string | null }) =>
  row.node === node ? { fullName: name, labelhash } : undefined;

const tooManyChildren = () =>
  new ApiError(
    "LIMIT_EXCEEDED",
    `The name has more than ${MAX_NAMES} direct subnames. Request the events of each, or leave out \`children\`.`,
  );
