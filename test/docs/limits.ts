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
import * as avatars from "../../src/api/features/avatars/bounds.ts";
import { MAX_FORM_BYTES } from "../../src/api/features/explorer/keyForm.ts";
import { MAX_DROPS } from "../../src/api/features/explorer/pages/drops/drops.ts";
import { MAX_SOUGHT } from "../../src/api/features/explorer/pages/go.ts";
import { MAX_RECORDS } from "../../src/api/features/explorer/pages/name/records.tsx";
import { CSV_PAGE_SIZE, MAX_CSV_PAGES } from "../../src/api/features/explorer/pages/namesCsv.ts";
import { MAX_NAME, MAX_WATCHED } from "../../src/api/features/explorer/pages/watch/watched.ts";
import { SHOWN_AT_ONCE, SHOWN_UNFOLDED } from "../../src/api/features/explorer/parts/text.tsx";
import { MOST_TOUCHED } from "../../src/api/features/feed/advance.ts";
import { MAX_TEXT_BYTES } from "../../src/api/features/feed/compare.ts";
import { MOST_HEALED } from "../../src/api/features/feed/heal.ts";
import { MAX_CHANGES as MAX_FEED_CHANGES } from "../../src/api/features/feed/operations.ts";
import { MAX_SCANNED } from "../../src/api/features/feed/read.ts";
import { MAX_RESYNCED, MAX_RESYNCED_BYTES } from "../../src/api/features/feed/resync.ts";
import { MOST_OF_PAGE, READ_AT_ONCE } from "../../src/api/features/feed/stream/follow.ts";
import { MOST_IN_MEMORY } from "../../src/api/features/feed/stream/hub.ts";
import { MOST_OF_CALLER, MOST_STREAMS } from "../../src/api/features/feed/stream/places.ts";
import * as subgraph from "../../src/api/features/subgraph/bounds.ts";
import * as hooks from "../../src/api/features/webhooks/bounds.ts";
import { LEFT_ALONE_MS, SILENT_ATTEMPTS } from "../../src/api/features/webhooks/hosts.ts";
import { MAX_RETRY_AFTER, WAITS } from "../../src/api/features/webhooks/schedule.ts";
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
import { DRAIN_MS } from "../../src/api/server/outgoing/outgoing.ts";
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

const number = (count: number) => count.toLocaleString("en");
const kib = (bytes: number) => `${number(bytes / 1_024)} KiB`;
const mib = (bytes: number) => `${number(bytes / 1_048_576)} MiB`;
const seconds = (ms: number) => `${ms / 1_000} s`;
const shares = ({ most, each }: { most: number; each: number }) => `${number(most)}, ${each} per caller`;

type Row = readonly [what: string, limit: string | number, beyond: string];

const FAILS_LIVE = "`LIVE_RESOLUTION_FAILED`";
const INVALID = "`INVALID_PARAMETER`";
const TOO_MUCH = "`LIMIT_EXCEEDED`";
const RATE_LIMITED = "429 `RATE_LIMITED`";
const CUT = "Cut.";

/** Every limit on what strangers can send or put on chain, as docs/security.md shows it. Numbers come from the code. */
const limits: readonly (readonly [title: string, rows: readonly Row[]])[] = [
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
        "Key form of the explorer",
        `${number(MAX_FORM_BYTES)} bytes, never \`multipart/form-data\``,
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
    "Change feed",
    [
      ["Changes per response", number(MAX_FEED_CHANGES), INVALID],
      [
        "Changes scanned for one page",
        number(MAX_SCANNED),
        "The page ends with a position to continue from.",
      ],
      ["Text value", `${number(MAX_TEXT_BYTES)} bytes`, "Replaced by its hash and length."],
      [
        "Touched rows compared at once",
        number(MOST_TOUCHED),
        "A new epoch begins: readers reload what they follow.",
      ],
      ["Rows compared to close a gap", number(MOST_HEALED), "A new epoch begins."],
      ["Changes in memory", number(MOST_IN_MEMORY), "Readers further behind read the table."],
      ["Streams per process", shares({ most: MOST_STREAMS, each: MOST_OF_CALLER }), RATE_LIMITED],
      ["Pages read at once for streams that lag", READ_AT_ONCE, "Wait their turn."],
      ["Memory per lagging stream", `${kib(MOST_OF_PAGE)} and one change`, "The rest stays in the table."],
      [
        "Values in a resync",
        `${number(MAX_RESYNCED)} rows, ${mib(MAX_RESYNCED_BYTES)}`,
        "410 `POSITION_GONE`; a webhook gets `webhook.gap` without them",
      ],
    ],
  ],
  [
    "Webhooks",
    [
      ["Webhooks per key, and in all", `${hooks.MAX_OF_KEY}, and ${number(hooks.MAX_WEBHOOKS)}`, TOO_MUCH],
      [
        "URL",
        `${number(hooks.MAX_URL)} characters; https, ports ${hooks.PORTS.join(" and ")}, public addresses`,
        INVALID,
      ],
      ["Test deliveries", `One per ${hooks.TEST_SECONDS} s`, RATE_LIMITED],
      [
        "Waiting deliveries per key",
        `${number(hooks.MAX_WAITING)}, and no more than its credits`,
        "Dropped and counted; a message says so.",
      ],
      [
        "Changes in one replay",
        number(hooks.MAX_REPLAYED),
        "The response has the position to continue from.",
      ],
      ["Deliveries in one response", hooks.MAX_DELIVERIES, INVALID],
      [
        "Delivery log",
        `${hooks.DELIVERY_DAYS} days; waiting deliveries ${hooks.EVENT_DAYS} days`,
        "Removed; a message lists what was dropped.",
      ],
      [
        "One attempt",
        `${seconds(hooks.TIMEOUT_MS)}, ${number(hooks.MAX_ANSWER)} bytes of the response, ${seconds(DRAIN_MS)} to read them`,
        "Retried; the rest of the response is ignored.",
      ],
      [
        "Retries",
        `Three days, ${(WAITS.at(-1) ?? 0) / 3_600} h apart at most; \`Retry-After\` up to ${MAX_RETRY_AFTER / 3_600} h`,
        "The webhook is disabled.",
      ],
      [
        "Attempts at a time, per process",
        `${hooks.AT_ONCE.all}; ${hooks.AT_ONCE.key} per key, ${hooks.AT_ONCE.host} per host, ${hooks.AT_ONCE.failing} to failing receivers; one per webhook over all processes`,
        `Wait; a turn has ${hooks.TURN.deliveries} deliveries or ${seconds(hooks.TURN.ms)}.`,
      ],
      [
        "Unreachable host",
        `${SILENT_ATTEMPTS} failed attempts in a row, of any webhook`,
        `Not tried for ${seconds(LEFT_ALONE_MS)}.`,
      ],
      [
        "Changes matched at once",
        `${hooks.PAGE}, and ${number(hooks.MAX_MATCHES)} deliveries`,
        "In the next batch.",
      ],
      ["Webhooks of one name whose values are read at once", hooks.NAMES_AT_ONCE, "A second later."],
    ],
  ],
  [
    "Subgraph queries",
    [
      [
        "Query text",
        `${number(subgraph.MAX_QUERY)} characters, ${number(subgraph.MAX_TOKENS)} tokens, ${subgraph.MAX_DEPTH} levels`,
        "Error",
      ],
      [
        "Fields",
        `${subgraph.MAX_ROOTS} of \`Query\`, ${number(subgraph.MAX_FIELDS)} in all; fragments count where used`,
        "Error",
      ],
      ["Aliases of one field of an entity", subgraph.MAX_SAME, "Error"],
      [
        "Introspection",
        `${subgraph.MAX_SCHEMA_LEVELS} levels, ${number(subgraph.MAX_SCHEMA_VALUES)} values`,
        "Error",
      ],
      ["Reads, one per selected relation", subgraph.MAX_STATEMENTS, "Error"],
      [
        "Entities requested (product of `first`)",
        `${number(subgraph.MAX_ENTITIES)}; one credit pays for ${number(subgraph.ENTITIES_OF_CREDIT)}`,
        "Error",
      ],
      ["Entities read", number(subgraph.MAX_READ), "Error"],
      [
        "`first`, and `skip`",
        `${number(subgraph.FIRST.most)}, and ${number(subgraph.MAX_SKIP)}`,
        "Error with the way to continue",
      ],
      ["Blocks named by one query", subgraph.MAX_BLOCKS, "Error"],
      [
        "Logs since the block of a query about the past",
        number(subgraph.MAX_CHANGES),
        "Error: no data for that block",
      ],
      [
        "Filters",
        `${number(subgraph.MAX_CONDITIONS)} conditions and values, ${subgraph.MAX_FILTER_LEVELS} levels, ${subgraph.MAX_RELATIONS} relations each and ${subgraph.MAX_RELATIONS_IN_ALL} in all`,
        "Error",
      ],
      [
        "Searched text",
        `${number(subgraph.MAX_PART)} characters; ${number(subgraph.MAX_FILTER_TEXT)} in all filters`,
        "Error",
      ],
      [
        "Queries at a time, per process",
        `${subgraph.MAX_AT_ONCE.most}, ${subgraph.MAX_AT_ONCE.each} per caller; ${subgraph.MAX_WAITING.most} waiting, ${subgraph.MAX_WAITING.each} per caller`,
        RATE_LIMITED,
      ],
      [
        "Statements at a time",
        shares(subgraph.MAX_STATEMENTS_AT_ONCE),
        "Wait, so that other operations find a connection.",
      ],
    ],
  ],
  [
    "Explorer and avatars",
    [
      ["Search box", `${number(MAX_SOUGHT)} characters`, CUT],
      [
        "Value on a page",
        `${SHOWN_AT_ONCE} characters, ${number(SHOWN_UNFOLDED)} unfolded`,
        "Cut; the page links to the JSON.",
      ],
      [
        "Texts, and addresses, on a name's page",
        `${MAX_RECORDS} each`,
        "Left out; the page links to the JSON.",
      ],
      ["Names in one file of drops", MAX_DROPS, "The first to drop are kept."],
      [
        "Names in a CSV file",
        `${number(MAX_CSV_PAGES * CSV_PAGE_SIZE)} (${MAX_CSV_PAGES} requests of the visitor)`,
        "The last line says where to find them.",
      ],
      [
        "Watched names in a URL",
        `${MAX_WATCHED}, ${MAX_NAME} characters each`,
        "Left out; the page says how many.",
      ],
      [
        "Avatar image",
        `${mib(avatars.MAX_BYTES)}, ${number(avatars.MAX_SIDE)} pixels a side, ${number(avatars.MAX_FRAMES)} frames; PNG, JPEG, GIF or WebP by content`,
        "A drawing instead.",
      ],
      ["Time to find an avatar", seconds(avatars.MAX_MS), "A drawing instead."],
      ["Avatar URI", `${number(avatars.MAX_URI)} characters, unless it is a data URI`, "A drawing instead."],
      [
        "NFT metadata",
        `${number(avatars.MAX_METADATA)} characters, ${number(avatars.MAX_BRACKETS)} arrays and objects; token URI 350,000 bytes`,
        "A drawing instead.",
      ],
      [
        "Avatars loaded at a time, per process",
        `${shares(avatars.AT_ONCE)}, ${avatars.AT_ONCE.host} per host; ${avatars.WAITING.most} waiting, ${avatars.WAITING.each} per caller`,
        "A drawing instead, not cached.",
      ],
      [
        "Avatars that need the chain",
        `${avatars.CHAIN_A_SECOND} per second and process`,
        "A drawing instead.",
      ],
      [
        "Avatars in memory",
        `${mib(avatars.MEMORY_BYTES)}. Cached for 1 hour; NFT images ${avatars.REMEMBERED_SECONDS.token / 60} minutes; misses ${avatars.REMEMBERED_SECONDS.none / 60} minutes`,
        "Loaded again.",
      ],
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

/** The limit tables in Markdown, by subject. */
export const limitTables = (): string =>
  limits
    .map(([title, rows]) => {
      const lines = rows.map(([what, limit, beyond]) => `| ${what} | ${limit} | ${beyond} |`);
      return [`### ${title}`, "", "| what | limit | beyond it |", "|---|---|---|", ...lines].join("\n");
    })
    .join("\n\n");
