import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { JOURNAL_BLOCKS } from "../../engine/blocks/sql.ts";
import { MAX_KEY_LENGTH } from "../../engine/predicted/possibleKey.ts";
import { MAX_MANIFEST_BYTES as MAX_ARCHIVE_MANIFEST_BYTES } from "../../engine/sources/archiveManifest.ts";
import { MEMORY_LIMIT as MEMORY_OF_ARCHIVE } from "../../engine/sources/duckDb.ts";
import {
  MOST_CHARACTERS,
  MOST_LINE_CHARACTERS,
  MOST_LOGS,
  MOST_REQUESTS,
  MOST_WORDS,
  REQUESTS_WITHIN_MS,
  SILENT_MS,
} from "../../engine/sources/portal.ts";
import { MAX_ROW_BYTES } from "../../ops/export/formats.ts";
import { FILE_ROWS as LOG_FILE_ROWS } from "../../ops/export/logs.ts";
import { MAX_MANIFEST_BYTES as MAX_EXPORT_MANIFEST_BYTES } from "../../ops/export/manifest.ts";
import { FILE_ROWS as STATE_FILE_ROWS } from "../../ops/export/state.ts";
import { MAX_RECORD_BYTES } from "../../ops/labels/forms/record.ts";
import { MAX_LACKING } from "../../ops/labels/lacking.ts";
import { MAX_RATIO } from "../../ops/labels/openTable.ts";
import { PLAN_SHARE } from "../../ops/launch/compareSources.ts";
import { MAX_MANIFEST_BYTES, MAX_PART_BYTES, PART_BYTES } from "../../ops/snapshot/manifest.ts";
import { SHOWN_LENGTH } from "../../ops/verify/report.ts";
import { gatewayVariables } from "../../settings/gateway.ts";
import { rpcVariables } from "../../settings/rpc.ts";
import { MAX_COMPARED_BYTES, MAX_COMPARED_RECORDS } from "../../src/api/names/comparison/compareName.ts";
import { MAX_REFERRERS } from "../../src/api/names/counts/dayCounts.ts";
import {
  MAX_INPUTS,
  MAX_LABELS as MAX_LABELS_OF_LOOKUP,
} from "../../src/api/names/endpoints/lookup/lookupEndpoint.ts";
import { MONTHS_AHEAD } from "../../src/api/names/endpoints/populationEndpoints.ts";
import { MAX_PRICED, MAX_PRICED_LABELS } from "../../src/api/names/endpoints/pricesEndpoints.ts";
import { MAX_PERIODS, MAX_PERIODS_WITH_SOURCES } from "../../src/api/names/endpoints/sales/periods.ts";
import { MAX_RANKED } from "../../src/api/names/endpoints/salesEndpoints.ts";
import { MAX_LABELS } from "../../src/api/names/endpoints/whoisEndpoints.ts";
import { MAX_GIVEN_BYTES, MAX_GIVEN_LABELS } from "../../src/api/names/labels/labelMemory.ts";
import { MAX_HEALING_BYTES } from "../../src/api/names/labels/labelService.ts";
import { MAX_EXCHANGED_BYTES, MAX_LOOKUPS, MAX_ROUNDS } from "../../src/api/names/live/ccip/budget.ts";
import { MAX_BATCH } from "../../src/api/names/live/ccip/ccip.ts";
import { MAX_ANSWER_BYTES, MAX_URL_LENGTH, MAX_URLS } from "../../src/api/names/live/ccip/gatewayClient.ts";
import { MAX_REQUESTS, MAX_REQUESTS_OF_HOST } from "../../src/api/names/live/ccip/hostPlaces.ts";
import { SILENCE_MS } from "../../src/api/names/live/ccip/silentGateways.ts";
import { MAX_REPLY_BYTES } from "../../src/api/names/live/jsonRpc.ts";
import {
  MAX_CALLS,
  MAX_QUESTIONS,
  MAX_QUESTIONS_OF_REQUEST,
  MAX_WAITING,
} from "../../src/api/names/live/live.ts";
import { MAX_VALUE_BYTES } from "../../src/api/names/live/liveRecords.ts";
import { FAILURE_MS as PRICE_FAILURE_MS } from "../../src/api/names/live/prices/priceTerms.ts";
import { MAX_ANSWER as MAX_ORACLE_ANSWER } from "../../src/api/names/live/prices/reads.ts";
import { MAX_WAIT_MS } from "../../src/api/names/live/rateLimiter.ts";
import { MAX_RESULT_BYTES, MAX_REVERT_BYTES } from "../../src/api/names/live/rpc.ts";
import { MAX_CHANGES } from "../../src/api/names/query/activity.ts";
import { MAX_ENDING } from "../../src/api/names/query/addresses/ending.ts";
import { MAX_NAMES } from "../../src/api/names/query/eventSources.ts";
import { MAX_ENTRIES } from "../../src/api/names/query/list.ts";
import { MAX_OTHER } from "../../src/api/names/query/otherRecords.ts";
import { MAX_COUNTED, MAX_COUNTED_IN_OVERVIEW } from "../../src/api/names/query/page.ts";
import { MAX_HOLDERS } from "../../src/api/names/query/population.ts";
import { MAX_BYTES_OF_NAME, MAX_OF_NAME } from "../../src/api/names/query/recordBatches.ts";
import { MAX_READ_BYTES } from "../../src/api/names/query/records.ts";
import { MAX_LIVE_BYTES } from "../../src/api/names/resolution/chain.ts";
import { MAX_CHECKED } from "../../src/api/names/resolution/namesResolvingTo.ts";
import { MAX_CLAIMED_LABELS } from "../../src/api/names/resolution/primaryNameClaims.ts";
import { MAX_AGENT_URI, MAX_PROFILE_TEXT, MAX_SHOWN } from "../../src/api/names/rules/shown.ts";
import { MAX_CURSOR } from "../../src/api/names/schemas/cursor.ts";
import { MAX_CHAINS } from "../../src/api/names/schemas/input.ts";
import { MAX_PAGE_SIZE, PAGE_SIZE } from "../../src/api/names/schemas/paging.ts";
import { MAX_CHOSEN, MAX_KEY } from "../../src/api/names/schemas/recordChoice.ts";
import { MAX_WINDOWS } from "../../src/api/names/schemas/windows.ts";
import { MAX_LENGTHS, MAX_YEARS } from "../../src/api/names/schemas/years.ts";
import { MAX_WRITTEN } from "../../src/api/names/serializers/calendar.ts";
import {
  MAX_LATE_BYTES,
  MAX_LATE_ROWS,
  MAX_TRANSACTION_BYTES,
} from "../../src/api/names/transactions/lateTransactions.ts";
import { FREE } from "../../src/api/server/access/limits.ts";
import { UNPAID } from "../../src/api/server/access/requestCount.ts";
import {
  DEEP_AFTER,
  MAX_PAGE,
  MAX_AT_ONCE as PAGES_AT_ONCE,
  MAX_WAITING as WAITING_PAGES,
} from "../../src/api/server/http/deepPages.ts";
import { MAX_KEYS, MAX_LEVELS, MAX_VALUES } from "../../src/api/server/http/jsonBounds.ts";
import { MAX_BEHIND } from "../../src/api/server/http/oneByOne.ts";
import { KEEP_ALIVE_MS, READER_PATIENCE } from "../../src/api/server/http/slowClients.ts";
import { MAX_JSON_BYTES } from "../../src/api/server/http/writeReply.ts";
import { FAILING_ATTEMPTS } from "../../src/api/server/indexState/failingBlock.ts";
import { CANCELLED_MS } from "../../src/api/server/indexState/indexPool.ts";
import { STANDBY_LOOK_MS } from "../../src/api/server/postgres/listen.ts";
import { MAX_STORED_BYTES, MAX_STORED_BYTES_A_MINUTE } from "../../src/api/server/serviceDb/liveAnswers.ts";
import { MAX_LABELS_PER_MINUTE } from "../../src/api/server/serviceDb/provenLabels.ts";
import { HELD_SECONDS } from "../../src/api/server/serviceDb/reservations.ts";
import { NAMES_AT_ONCE } from "../../src/api/server/serviceDb/sharedLabels.ts";
import { MAX_LABEL_BYTES, MAX_NAME_BYTES } from "../../src/ens/name.ts";
import { GIVEN_MS_PER_BLOCK, MAX_GIVEN_PER_BLOCK } from "../../src/indexing/write/applyLabels.ts";
import { LATE_MS_PER_BLOCK, MAX_LATE_PER_BLOCK } from "../../src/indexing/write/applyTransactions.ts";
import { MAX_WORK_PER_BLOCK, WORK_PER_TURN } from "../../src/indexing/write/blockQueue.ts";
import { MAX_MOVED_TOKENS } from "../../src/indexing/write/ensv2/entries.ts";
import { MAX_DEPTH, MAX_MOUNTS } from "../../src/indexing/write/ensv2/mounts.ts";
import { MAX_SHARED_ENTRIES } from "../../src/indexing/write/ensv2/reach.ts";
import { CONFIRMED_AT_ONCE } from "../../src/indexing/write/priceFeed.ts";
import { root } from "../support/projectFiles.ts";
import {
  CUT,
  FAILS_LIVE,
  INVALID,
  kib,
  mib,
  number,
  RATE_LIMITED,
  type Section,
  seconds,
  shares,
  TOO_MUCH,
} from "./limitRows.ts";

/** Every limit of the core and of operators' programs. Numbers come from the code. */
const limits: readonly Section[] = [
  [
    "Requests and connections",
    [
      [
        "Free requests per address",
        `${FREE.requests} in ${FREE.seconds} s`,
        `${RATE_LIMITED}, or 402 with the price`,
      ],
      [
        "Unpaid requests per address with `ACCESS=metered`; each MCP message counts",
        `${UNPAID.requests} in ${UNPAID.seconds} s, per process`,
        RATE_LIMITED,
      ],
      [
        "JSON body",
        `1 MiB, ${number(MAX_VALUES)} values, ${MAX_KEYS} keys, ${MAX_LEVELS} levels`,
        `${TOO_MUCH}, before it is parsed`,
      ],
      [
        "JSON response, over HTTP or MCP",
        mib(MAX_JSON_BYTES),
        "`RESPONSE_TOO_LARGE`, with the way to request it in pieces",
      ],
      [
        "Concurrent requests on one connection, at the API and the gateway",
        `1, with ${MAX_BEHIND} waiting`,
        "The connection closes.",
      ],
      ["Idle connection", seconds(KEEP_ALIVE_MS), "Closed."],
      [
        "Pause while a caller reads a response",
        `${seconds(READER_PATIENCE.pauseMs)} (gateway: \`GATEWAY_TIMEOUT_SECONDS\`)`,
        "The connection closes.",
      ],
      [
        "Time to read a whole response",
        `${seconds(READER_PATIENCE.wholeMs)} (gateway: four times \`GATEWAY_TIMEOUT_SECONDS\`)`,
        "The connection closes.",
      ],
      [
        "Concurrent requests per address at the gateway",
        `${gatewayVariables.GATEWAY_MAX_REQUESTS_PER_ADDRESS.example} (\`GATEWAY_MAX_REQUESTS_PER_ADDRESS\`)`,
        RATE_LIMITED,
      ],
      [
        "Share of one address in `GATEWAY_MAX_REQUESTS`",
        "(free slots)² / all slots. The last slot is for an address that has none.",
        RATE_LIMITED,
      ],
      [
        "Request bodies held by the gateway",
        "One of `GATEWAY_MAX_BODY_BYTES` per slot, shared like slots",
        RATE_LIMITED,
      ],
      ["Credits or a payment held for one request", `${HELD_SECONDS} s`, "Released."],
    ],
  ],
  [
    "Parameters, pages and lists",
    [
      [
        "Page of a list or history",
        `${PAGE_SIZE} results by default, ${MAX_PAGE_SIZE} at most (\`page_size\`)`,
        INVALID,
      ],
      ["Cursor", `${number(MAX_CURSOR)} characters; one value per key, no SQL`, INVALID],
      [
        "Page number",
        `${number(MAX_PAGE)} (${number(MAX_PAGE * PAGE_SIZE)} results)`,
        `${TOO_MUCH}, which points to \`cursor\``,
      ],
      [
        `Numbered pages beyond ${number(DEEP_AFTER)} results, per process`,
        `${PAGES_AT_ONCE} at a time, ${WAITING_PAGES} waiting`,
        `${TOO_MUCH} at once`,
      ],
      ["`chains` parameter", `${MAX_CHAINS} characters`, INVALID],
      ["Expiry windows in one search", MAX_WINDOWS, `${INVALID}. Overlapping windows count as one.`],
      ["Counted events", number(MAX_COUNTED), "`is_total_minimum` is true."],
      ["Counted names with an address in their records", number(MAX_COUNTED), "`is_total_minimum` is true."],
      [
        "Counted events in a registry overview",
        number(MAX_COUNTED_IN_OVERVIEW),
        "`is_event_count_minimum` is true.",
      ],
      ["History entries without `page`", number(MAX_ENTRIES), "The newest are returned; `total` counts all."],
      [
        "Names whose events one list covers",
        number(MAX_NAMES),
        `An address: its latest names, with \`is_incomplete\`. Subnames: ${TOO_MUCH}.`,
      ],
      ["Operators, delegates and roles in permissions", "One page each, read by index", "On the next page."],
      ["Delegates of a name's records", "Those that a past or present owner approved", "Not listed."],
      ["Names found by label hash that are resolved", PAGE_SIZE, "On the next page."],
      ["Names in an address's calendar", `${MAX_ENDING}, .eth names first`, "The first to expire are kept."],
      ["Name in a calendar", `${MAX_WRITTEN} characters`, "Cut; the link contains the node."],
      [
        "Sales series",
        `${MAX_PERIODS.day} days, ${MAX_PERIODS.week} weeks, ${MAX_PERIODS.month} months, ${MAX_PERIODS.quarter} quarters or ${MAX_PERIODS.year} years; with sources ${MAX_PERIODS_WITH_SOURCES}`,
        "The latest periods are returned; a longer range from `from` is `INVALID_PARAMETER`.",
      ],
      ["Referrers", MAX_REFERRERS, "Those with the most sales are returned."],
      ["Expiry series", `${MONTHS_AHEAD} months ahead`, "Later months are one number."],
      ["Largest registrations", MAX_RANKED, "The most expensive are returned."],
      ["Largest holders", MAX_HOLDERS, "Those with the most names are returned."],
    ],
  ],
  [
    "Names, labels and records",
    [
      [
        "Label",
        `${MAX_LABEL_BYTES} bytes of UTF-8, as in DNS`,
        "On chain: shown as `[<64 hex digits of its hash>]`. In a request: `INVALID_NAME`.",
      ],
      [
        "Name",
        `${number(MAX_NAME_BYTES)} bytes of UTF-8`,
        "On chain: written `[namehash:<64 hex digits>]`, and so are its subnames. In a request: `INVALID_NAME`.",
      ],
      [
        "Name claimed as primary",
        `${number(MAX_NAME_BYTES)} bytes of UTF-8`,
        "Stored as no name; the event keeps it.",
      ],
      ["Labels in one bulk request", number(MAX_LABELS), TOO_MUCH],
      [
        "Labels in the claims of one bulk request",
        number(MAX_CLAIMED_LABELS),
        `${TOO_MUCH} per entry; short names are answered first.`,
      ],
      ["Inputs of `/lookup`", number(MAX_INPUTS), TOO_MUCH],
      [
        "Labels in one lookup",
        number(MAX_LABELS_OF_LOOKUP),
        "The input is `left_out`, with a cursor; short names are answered first.",
      ],
      [
        "Texts, and addresses, of one name in a lookup",
        `${number(MAX_OF_NAME)} and ${kib(MAX_BYTES_OF_NAME)} each`,
        "The name is `partial`, with a cursor. A larger single value is `left_out` with an error.",
      ],
      [
        "Keys, and coin types, chosen by a request",
        `${MAX_CHOSEN} each, ${number(MAX_KEY)} characters per key`,
        INVALID,
      ],
      [
        "Records read on chain for a lookup",
        mib(MAX_LIVE_BYTES),
        "Later names are `left_out`, with a cursor.",
      ],
      ["Texts, and addresses, read for one answer", `${mib(MAX_READ_BYTES)} each`, "`RESPONSE_TOO_LARGE`"],
      [
        "ABIs, interfaces and public keys of one name",
        MAX_OTHER,
        "The newest are returned, with `is_incomplete`.",
      ],
      [
        "Names resolving to an address that are each verified",
        number(MAX_CHECKED),
        "`total` counts rows with ENSv2 or several chains; the page is verified.",
      ],
      [
        "Texts, keys and names in events, histories and the feed",
        `${number(MAX_SHOWN)} characters`,
        "Cut; `truncated` names the field.",
      ],
      [
        "Content hashes and addresses in events",
        `${number(MAX_SHOWN)} bytes`,
        "Cut; `truncated` names the field.",
      ],
      ["Text in an agent's profile", `${number(MAX_PROFILE_TEXT)} characters`, CUT],
      ["Agent URI", `${number(MAX_AGENT_URI)} characters`, "Left out."],
      ["Lengths in one price request", `${MAX_LENGTHS}, each 1 to ${MAX_YEARS} years`, INVALID],
      ["Names in one price request", `${MAX_PRICED}, with ${number(MAX_PRICED_LABELS)} labels`, TOO_MUCH],
      [
        "Price readings",
        `One per block and chain, 3 calls at most; failures are remembered for ${seconds(PRICE_FAILURE_MS)}`,
        "All callers share it.",
      ],
      ["Price oracle response", kib(MAX_ORACLE_ANSWER), FAILS_LIVE],
      [
        "Labels learnt from callers",
        `${MAX_LABEL_BYTES} bytes, if the index knows only their hash`,
        "Used for this response only.",
      ],
      ["Labels stored per minute and process", MAX_LABELS_PER_MINUTE, "Used for this response only."],
    ],
  ],
  [
    "Live answers",
    [
      [
        "Requests to RPC nodes",
        `${rpcVariables.LIVE_REQUESTS_PER_SECOND.example} per second and process (\`LIVE_REQUESTS_PER_SECOND\`)`,
        `Waits ${seconds(MAX_WAIT_MS)} at most, then ${FAILS_LIVE}`,
      ],
      [
        "Names resolved on chain at a time",
        shares(MAX_QUESTIONS),
        "Waits; the caller with the fewest goes first.",
      ],
      ["Names of one request at a time", MAX_QUESTIONS_OF_REQUEST, "Waits."],
      ["Calls to nodes at a time", shares(MAX_CALLS), "Waits."],
      ["Waiting questions", shares(MAX_WAITING), `${FAILS_LIVE} at once`],
      ["Requests to CCIP-Read gateways at a time", shares(MAX_REQUESTS), "Waits."],
      ["Requests to one gateway host at a time", shares(MAX_REQUESTS_OF_HOST), "Waits."],
      [
        "Gateway that does not answer",
        "Two requests of a resolver within a minute, plus a retry",
        `Skipped for that resolver for ${seconds(SILENCE_MS)}, then one request at a time.`,
      ],
      ["CCIP-Read rounds per answer", MAX_ROUNDS, FAILS_LIVE],
      ["Gateway requests per answer", MAX_LOOKUPS, "The contract receives a failed lookup."],
      ["Bytes exchanged with gateways per answer", mib(MAX_EXCHANGED_BYTES), FAILS_LIVE],
      ["Lookups in one batch", `${MAX_BATCH}, not nested, values not overlapping`, "The batch fails."],
      ["Gateway URLs", `${MAX_URLS} per lookup, ${kib(MAX_URL_LENGTH)} each`, "The lookup fails."],
      ["Gateway response", `${kib(MAX_ANSWER_BYTES)}, within 3 s`, "The lookup fails."],
      ["Contract call or result", mib(MAX_RESULT_BYTES), FAILS_LIVE],
      ["Contract error", kib(MAX_REVERT_BYTES), FAILS_LIVE],
      ["Node response", mib(MAX_REPLY_BYTES), FAILS_LIVE],
      ["Record in a live answer", kib(MAX_VALUE_BYTES), `${FAILS_LIVE}, naming the record`],
      [
        "Stored live answer",
        `${kib(MAX_STORED_BYTES)}; ${mib(MAX_STORED_BYTES_A_MINUTE)} per minute and process`,
        "Asked again within the same block.",
      ],
      [
        "Records that `/domain/{name}/verify` compares",
        `${MAX_COMPARED_RECORDS} texts, as many addresses, ${mib(MAX_COMPARED_BYTES)}`,
        "`left_out` has `more_records`.",
      ],
    ],
  ],
  [
    "Indexing",
    [
      ["Requests to the public Portal", `${MOST_REQUESTS} in ${REQUESTS_WITHIN_MS / 1_000} s`, "They wait."],
      [
        "A Portal's block, and its logs for one range",
        `${number(MOST_LINE_CHARACTERS)} characters, ${number(MOST_LOGS)} logs in ${number(MOST_CHARACTERS)} characters`,
        "The indexer ends, with the reason.",
      ],
      [
        "Requests that compare past logs of a source with the node",
        `${Math.round(100 / PLAN_SHARE)} % of \`RPC_REQUESTS_PER_SECOND\`, at least 1 per second, of one indexer per chain`,
        "They wait.",
      ],
      [
        "Other answers of a Portal; redirects",
        `${number(MOST_WORDS)} characters; none followed`,
        "The rest is dropped; the indexer ends, with the reason.",
      ],
      [
        "A Portal without a new block, whatever it sends",
        `${SILENT_MS / 1_000} s`,
        "Asked again from the next block.",
      ],
      [
        "An archive of logs",
        `${MEMORY_OF_ARCHIVE} of memory; a manifest of ${number(MAX_ARCHIVE_MANIFEST_BYTES)} bytes`,
        "Refused.",
      ],
      [
        "Names rewritten per block after a log about another name (a label or ENSv2 registry)",
        `${MAX_WORK_PER_BLOCK} per chain, plus two per label`,
        "Rewritten in later blocks with logs. Until then lists show the old state; requests for the name are right at once.",
      ],
      [
        "Names rewritten in one turn of a label, parent or registry, while others wait",
        `${WORK_PER_TURN}`,
        "In its next turn.",
      ],
      ["Name whose labels are learnt from a NameWrapper log", `${number(MAX_NAME_BYTES)} bytes`, "Ignored."],
      [
        "Imported labels applied per block",
        `${number(MAX_GIVEN_PER_BLOCK)} per chain, or ${GIVEN_MS_PER_BLOCK} ms`,
        "Applied in later blocks.",
      ],
      [
        "Past transactions that a start fetches before the index is ready",
        `\`TRANSACTIONS_AT_ONCE\` (${number(Number(rpcVariables.TRANSACTIONS_AT_ONCE.example))})`,
        "Fetched once the index is ready, at `TRANSACTIONS_PER_SECOND`.",
      ],
      [
        "Past transactions in memory once the index is ready",
        `those of ${number(MAX_LATE_ROWS)} rows, and ${mib(MAX_LATE_BYTES)}; ${mib(MAX_TRANSACTION_BYTES)} in a node's answer`,
        "Fetched later; a larger answer is refused.",
      ],
      [
        "Rows applied per block, once their past transactions arrived",
        `${number(MAX_LATE_PER_BLOCK)} per chain, or ${number(LATE_MS_PER_BLOCK)} ms`,
        "In later blocks.",
      ],
      ["Imported labels in memory", `${number(MAX_GIVEN_LABELS)}, ${mib(MAX_GIVEN_BYTES)}`, "Not used."],
      [
        "Names searched at once for labels from other chains",
        `${NAMES_AT_ONCE} per process, with pauses`,
        "In a later round, a minute later.",
      ],
      [
        "Parent names under which an ENSv2 registry's entries are listed",
        `${MAX_MOUNTS}, and 1 for the root and ETH registries`,
        "Answered, not listed. The registry's own parent goes first, then reachable names.",
      ],
      [
        "ENSv2 entries listed under a registry's second and later names",
        `${number(MAX_SHARED_ENTRIES)}, the oldest`,
        "Listed under the first name only.",
      ],
      ["Labels of a listed ENSv2 name", MAX_DEPTH, "Answered, not listed."],
      [
        "Renewal prices that one registration confirms",
        CONFIRMED_AT_ONCE,
        "Confirmed by later registrations; until then an upper bound.",
      ],
      [
        "Tokens moved by one ENSv2 log",
        `${number(MAX_MOVED_TOKENS)}, more than fit in a transaction`,
        "Left out; the log's row says so.",
      ],
      [
        "Owner changes searched for transfers",
        `The newest ${number(MAX_CHANGES)}`,
        "Older transfers are not in the activity list.",
      ],
      [
        "Attempts at a block while the index is ready",
        FAILING_ATTEMPTS,
        "`INDEX_NOT_READY`, with the reason at `/indexing-status`",
      ],
      [
        "Block journal",
        `${number(JOURNAL_BLOCKS)} block numbers per chain`,
        "The oldest are removed as blocks become final.",
      ],
      [
        "Text in a prefetched key",
        `${MAX_KEY_LENGTH} characters, the length of a hash`,
        "The handler reads the row itself.",
      ],
      [
        "Looks at a standby",
        `One per ${seconds(STANDBY_LOOK_MS)}, on each of 2 connections`,
        "Changes are noticed then.",
      ],
      ["Query cancelled by replication", `Retried for ${seconds(CANCELLED_MS)}`, "503 `INDEX_NOT_READY`"],
    ],
  ],
  [
    "Operators' programs",
    [
      [
        "`npm run verify`: value in its output",
        `${SHOWN_LENGTH} characters, control characters escaped`,
        CUT,
      ],
      ["`npm run labels`: record", mib(MAX_RECORD_BYTES), "The import stops and names the place."],
      [
        "`npm run labels`: compressed table",
        `${MAX_RATIO} times its size, and 1 MiB`,
        "The import stops; what came before is stored.",
      ],
      ["`npm run labels`: unknown labels looked up", number(MAX_LACKING), "Refused."],
      [
        "Label service response (`LABEL_HEALING_URL`)",
        kib(MAX_HEALING_BYTES),
        "Ignored; the service is not asked for a while.",
      ],
      ["Snapshot manifest", mib(MAX_MANIFEST_BYTES), "Refused."],
      ["Snapshot part", `${mib(PART_BYTES)} and one row, ${mib(MAX_PART_BYTES)} at most`, "Refused."],
      ["Export manifest", mib(MAX_EXPORT_MANIFEST_BYTES), "Refused."],
      [
        "Export file",
        `${number(LOG_FILE_ROWS)} rows and the rest of a block (logs), ${number(STATE_FILE_ROWS)} rows (other tables)`,
        "In the next file.",
      ],
      ["Export row", mib(MAX_ROW_BYTES), "The export stops and names the table to leave out."],
    ],
  ],
];

/** The limits of features: `limits.ts` in the folder of a feature's tests. */
const featureLimits: readonly Section[] = await Promise.all(
  readdirSync(join(root, "test"))
    .filter((folder) => folder !== "docs" && existsSync(join(root, "test", folder, "limits.ts")))
    .map(async (folder) => (await import(`../${folder}/limits.ts`)).limits),
);

/** The limit tables in Markdown, by subject. */
export const limitTables = (): string =>
  [...limits, ...featureLimits]
    .map(([title, rows]) => {
      const lines = rows.map(([what, limit, beyond]) => `| ${what} | ${limit} | ${beyond} |`);
      return [`### ${title}`, "", "| what | limit | beyond it |", "|---|---|---|", ...lines].join("\n");
    })
    .join("\n\n");
