import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { MOST_TAKEN_AT_START } from "../../engine/blocks/blockJournal.ts";
import { JOURNAL_BLOCKS } from "../../engine/blocks/sql.ts";
import { ROWS_OF_STATEMENT } from "../../engine/predicted/inParts.ts";
import { MAX_KEY_LENGTH } from "../../engine/predicted/possibleKey.ts";
import { PIECE_LENGTH } from "../../engine/rowStore/pieces.ts";
import { MEMORY_LIMIT } from "../../ops/export/duckDb.ts";
import { MAX_ROW_BYTES } from "../../ops/export/formats.ts";
import { FILE_ROWS as LOG_FILE_ROWS } from "../../ops/export/logs.ts";
import { MAX_MANIFEST_BYTES as MAX_EXPORT_MANIFEST_BYTES } from "../../ops/export/manifest.ts";
import { FILE_ROWS as STATE_FILE_ROWS } from "../../ops/export/state.ts";
import { MAX_RECORD_BYTES } from "../../ops/labels/forms/record.ts";
import { MAX_LACKING } from "../../ops/labels/lacking.ts";
import { MAX_RATIO } from "../../ops/labels/openTable.ts";
import { MAX_MANIFEST_BYTES, MAX_PART_BYTES, PART_BYTES } from "../../ops/snapshot/manifest.ts";
import { MAX_RANGES, MAX_ROWS } from "../../ops/verify/compareEvents.ts";
import { RANGE_BLOCKS } from "../../ops/verify/logRanges.ts";
import { MAX_SAMPLES } from "../../ops/verify/options.ts";
import { SHOWN_LENGTH } from "../../ops/verify/report.ts";
import { MAX_DIFFERENCES } from "../../ops/verify/result.ts";
import { answerVariables } from "../../settings/answers.ts";
import { gatewayVariables } from "../../settings/gateway.ts";
import { rpcVariables } from "../../settings/rpc.ts";
import * as avatars from "../../src/api/features/avatars/bounds.ts";
import { MAX_FORM_BYTES } from "../../src/api/features/explorer/keyForm.ts";
import { MAX_CALENDAR_NAMES } from "../../src/api/features/explorer/pages/address/calendar.tsx";
import { MAX_CLAIMS } from "../../src/api/features/explorer/pages/address/primaryNames.tsx";
import { MAX_DROPS } from "../../src/api/features/explorer/pages/drops/drops.ts";
import { MAX_SOUGHT } from "../../src/api/features/explorer/pages/go.ts";
import { MAX_VARIED, variants } from "../../src/api/features/explorer/pages/name/absent.tsx";
import { MAX_AGENTS } from "../../src/api/features/explorer/pages/name/agents.tsx";
import { MAX_RECORDS } from "../../src/api/features/explorer/pages/name/records.tsx";
import { CSV_PAGE_SIZE, MAX_CSV_PAGES } from "../../src/api/features/explorer/pages/namesCsv.ts";
import { MAX_NAME, MAX_WATCHED } from "../../src/api/features/explorer/pages/watch/watched.ts";
import { MAX_NAMED } from "../../src/api/features/explorer/parts/called.tsx";
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
import { CALLS_AT_ONCE, REQUESTS_AT_ONCE } from "../../src/api/names/comparison/askContracts.ts";
import { MAX_COMPARED_BYTES, MAX_COMPARED_RECORDS } from "../../src/api/names/comparison/compareName.ts";
import { MAX_LABELS } from "../../src/api/names/endpoints/bulk.ts";
import {
  MAX_INPUTS,
  MAX_LABELS as MAX_LABELS_OF_LOOKUP,
} from "../../src/api/names/endpoints/lookup/lookup.ts";
import { MONTHS_AHEAD } from "../../src/api/names/endpoints/population.ts";
import { MAX_PRICED, MAX_PRICED_LABELS } from "../../src/api/names/endpoints/prices.ts";
import { MAX_PERIODS, MAX_RANKED } from "../../src/api/names/endpoints/sales.ts";
import { MAX_HEALING_BYTES } from "../../src/api/names/labels/labelService.ts";
import { MAX_GIVEN_BYTES, MAX_GIVEN_LABELS } from "../../src/api/names/labels/packedLabels.ts";
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
import { FAILURE_MS as PRICE_FAILURE_MS } from "../../src/api/names/live/prices/priceTerms.ts";
import { MAX_ANSWER as MAX_ORACLE_ANSWER } from "../../src/api/names/live/prices/reads.ts";
import { MAX_WAIT_MS } from "../../src/api/names/live/rateLimiter.ts";
import { MAX_VALUE_BYTES } from "../../src/api/names/live/records.ts";
import { MAX_RESULT_BYTES, MAX_REVERT_BYTES } from "../../src/api/names/live/rpc.ts";
import { MAX_CHANGES } from "../../src/api/names/query/activity.ts";
import { MAX_ENDING } from "../../src/api/names/query/addresses/ending.ts";
import { MAX_NAMES } from "../../src/api/names/query/eventSources.ts";
import { MAX_OTHER } from "../../src/api/names/query/otherRecords.ts";
import { MAX_COUNTED, MAX_COUNTED_IN_OVERVIEW } from "../../src/api/names/query/page.ts";
import { MAX_HOLDERS } from "../../src/api/names/query/population.ts";
import { MAX_BYTES_OF_NAME, MAX_OF_NAME } from "../../src/api/names/query/recordBatches.ts";
import { MAX_READ_BYTES } from "../../src/api/names/query/records.ts";
import { MAX_ENTRIES } from "../../src/api/names/query/section.ts";
import { MAX_LIVE_BYTES } from "../../src/api/names/resolution/chain.ts";
import { MAX_CLAIMED_LABELS } from "../../src/api/names/resolution/primaryNameClaims.ts";
import { MAX_CHECKED } from "../../src/api/names/resolution/resolvesTo.ts";
import { MAX_AGENT_URI, MAX_PROFILE_TEXT, MAX_SHOWN } from "../../src/api/names/rules/shown.ts";
import { MAX_CURSOR } from "../../src/api/names/schemas/cursor.ts";
import { MAX_CHAINS } from "../../src/api/names/schemas/input.ts";
import { MAX_PAGE_SIZE, PAGE_SIZE } from "../../src/api/names/schemas/paging.ts";
import { MAX_CHOSEN, MAX_KEY } from "../../src/api/names/schemas/recordChoice.ts";
import { MAX_WINDOWS } from "../../src/api/names/schemas/windows.ts";
import { MAX_LENGTHS, MAX_YEARS } from "../../src/api/names/schemas/years.ts";
import { MAX_WRITTEN } from "../../src/api/names/serializers/calendar.ts";
import { FREE } from "../../src/api/server/access/limits.ts";
import { UNPAID } from "../../src/api/server/access/requestCount.ts";
import {
  DEEP_AFTER,
  MAX_PAGE,
  MAX_AT_ONCE as PAGES_AT_ONCE,
  MAX_WAITING as WAITING_PAGES,
} from "../../src/api/server/http/deepPages.ts";
import { KNOWN_MS, MAX_ANSWER } from "../../src/api/server/http/hotAnswers.ts";
import { MAX_KEYS, MAX_LEVELS, MAX_VALUES } from "../../src/api/server/http/jsonBounds.ts";
import { MAX_BEHIND } from "../../src/api/server/http/oneByOne.ts";
import { KEEP_ALIVE_MS, READER_PATIENCE } from "../../src/api/server/http/slowClients.ts";
import { MAX_JSON_BYTES } from "../../src/api/server/http/writeReply.ts";
import { FAILING_ATTEMPTS } from "../../src/api/server/indexState/failingBlock.ts";
import { CANCELLED_MS } from "../../src/api/server/indexState/indexPool.ts";
import { DRAIN_MS } from "../../src/api/server/outgoing/outgoing.ts";
import { STANDBY_LOOK_MS } from "../../src/api/server/postgres/listen.ts";
import { LOOK_TIMEOUT_MS, PRIMARY_LOOK_MS } from "../../src/api/server/postgres/primaryPool.ts";
import { MAX_STORED_BYTES, MAX_STORED_BYTES_A_MINUTE } from "../../src/api/server/serviceDb/liveAnswers.ts";
import { MAX_LABELS_PER_MINUTE } from "../../src/api/server/serviceDb/provenLabels.ts";
import { HELD_SECONDS } from "../../src/api/server/serviceDb/reservations.ts";
import { NAMES_AT_ONCE } from "../../src/api/server/serviceDb/sharedLabels.ts";
import { MAX_LABEL_BYTES, MAX_NAME_BYTES } from "../../src/ens/name.ts";
import { GIVEN_MS_PER_BLOCK, MAX_GIVEN_PER_BLOCK } from "../../src/indexing/write/applyLabels.ts";
import { MAX_WORK_PER_BLOCK, WORK_PER_TURN } from "../../src/indexing/write/blockQueue.ts";
import { MAX_MOVED_TOKENS } from "../../src/indexing/write/ensv2/entries.ts";
import { MAX_DEPTH, MAX_MOUNTS } from "../../src/indexing/write/ensv2/mounts.ts";
import { MAX_SHARED_ENTRIES } from "../../src/indexing/write/ensv2/reach.ts";

const inWords = (count: number) => count.toLocaleString("en");
const kib = (bytes: number) => `${bytes / 1_024} KiB`;
const mib = (bytes: number) => `${bytes / 1_048_576} MiB`;
const shares = ({ most, each }: { most: number; each: number }) => `${inWords(most)}, of one caller ${each}`;

const text = readFileSync(fileURLToPath(new URL("../../docs/security.md", import.meta.url)), "utf8");
const [, section = ""] = text.split("\n## Bounds\n");
const rows = section.split("\n## ")[0]?.split("\n") ?? [];

const nameBytes = inWords(MAX_NAME_BYTES);

/** What each row of the table says of its bound. Numbers come from the code. */
const bounds: [what: string, bound: string][] = [
  ["rows that the indexer asks for ahead of its handlers by one statement", inWords(ROWS_OF_STATEMENT)],
  ["a text in the key of a row that is asked for ahead", `${MAX_KEY_LENGTH} characters`],
  ["text of rows written to the database at a time", `${inWords(PIECE_LENGTH)} characters`],
  ["samples of one `npm run verify`", inWords(MAX_SAMPLES)],
  [
    "calls of contracts that `npm run verify` makes at once",
    `${CALLS_AT_ONCE} in each of ${REQUESTS_AT_ONCE} requests`,
  ],
  ["blocks of one request of `npm run verify -- --logs`", inWords(RANGE_BLOCKS)],
  ["operators, delegates and roles in an answer about permissions", "a page, as of every list"],
  ["delegates of a name's records", "those that its owners of now and before gave"],
  ["ranges of events of one `npm run verify`", `${MAX_RANGES} of ${RANGE_BLOCKS} blocks`],
  ["rows of events that `npm run verify` reads at a time", inWords(MAX_ROWS)],
  ["differences that `npm run verify` keeps", inWords(MAX_DIFFERENCES)],
  ["a value in the text of `npm run verify`", `${SHOWN_LENGTH} characters`],
  [
    "labels of callers, tables and services that are applied in one block",
    `${inWords(MAX_GIVEN_PER_BLOCK)} for each chain, and those that take ${GIVEN_MS_PER_BLOCK} ms`,
  ],
  ["such labels in the indexer's memory", `${inWords(MAX_GIVEN_LABELS)} of ${mib(MAX_GIVEN_BYTES)}`],
  ["a record of a table of labels (`npm run labels`)", mib(MAX_RECORD_BYTES)],
  ["unpacked bytes of a compressed table of labels (`npm run labels`)", `${MAX_RATIO} times its size`],
  ["labels of an index whose text a table is searched for", inWords(MAX_LACKING)],
  ["an answer of a label service (`LABEL_HEALING_URL`)", kib(MAX_HEALING_BYTES)],
  ["a snapshot's manifest", mib(MAX_MANIFEST_BYTES)],
  [
    "text of one part of a snapshot",
    `${mib(PART_BYTES)} and one row, ${inWords(MAX_PART_BYTES / 1_048_576)} MiB`,
  ],
  ["an export's manifest", mib(MAX_EXPORT_MANIFEST_BYTES)],
  [
    "rows of one file of an export",
    `${inWords(LOG_FILE_ROWS)} and the rest of a block (log tables), ${inWords(STATE_FILE_ROWS)} (others)`,
  ],
  ["a row of an export", mib(MAX_ROW_BYTES)],
  ["memory of DuckDB in an export", MEMORY_LIMIT.replace("MiB", " MiB")],
  ["attempts at a block before the index is not ready", String(FAILING_ATTEMPTS)],
  ["blocks in the journal", `${inWords(JOURNAL_BLOCKS)} numbers of each chain`],
  [
    "blocks that a start takes out of the journal and brings back where they belong to the final block",
    inWords(MOST_TAKEN_AT_START),
  ],
  ["looks at a standby by a process that reads it", `one in ${STANDBY_LOOK_MS / 1_000} s`],
  ["a query that replication cancels on a standby", `asked again for ${CANCELLED_MS / 1_000} s`],
  [
    "looks for the primary among the servers of `SERVICE_DATABASE_URL`",
    `one in ${PRIMARY_LOOK_MS / 1_000} s, of ${LOOK_TIMEOUT_MS / 1_000} s`,
  ],
  ["requests to the nodes of live answers", `${rpcVariables.LIVE_REQUESTS_PER_SECOND.example} a second`],
  ["wait for that turn", `${MAX_WAIT_MS / 1_000} s`],
  [
    "results on one page of a list or history",
    `${PAGE_SIZE}, or as many as \`page_size\` says, at most ${MAX_PAGE_SIZE}`,
  ],
  ["names of one file of drops", `${MAX_DROPS}`],
  [
    "similar names that a page asks the state of",
    `${variants.length}, of labels to ${MAX_VARIED} characters`,
  ],
  ["lengths of one request for prices", `${MAX_LENGTHS}, each of 1 to ${MAX_YEARS} years`],
  ["names of one request for prices", `${MAX_PRICED}, with ${inWords(MAX_PRICED_LABELS)} labels`],
  ["readings of what sells names", `remembered for ${PRICE_FAILURE_MS / 1_000} s`],
  ["an answer of a price oracle", `${MAX_ORACLE_ANSWER / 1_024} KiB`],
  ["a cursor", `${inWords(MAX_CURSOR)} characters`],
  ["windows of expiry in one search", `${MAX_WINDOWS}`],
  ["names whose events are in one list", inWords(MAX_NAMES)],
  ["events that are counted in the overview of a registry", inWords(MAX_COUNTED_IN_OVERVIEW)],
  ["events that are counted", inWords(MAX_COUNTED)],
  ["names with an address in their records that are counted", inWords(MAX_COUNTED)],
  ["pages of a list or history by number", `${inWords(MAX_PAGE)}, so ${inWords(MAX_PAGE * PAGE_SIZE)}`],
  [
    `pages by number beyond ${inWords(DEEP_AFTER)} results that one process reads at once`,
    `${PAGES_AT_ONCE}, and ${WAITING_PAGES} wait`,
  ],
  ["chains that a request names", `${MAX_CHAINS} characters`],
  ["texts, keys and names in events, histories and the feed", `${inWords(MAX_SHOWN)} characters`],
  ["contenthashes and addresses in events", `${inWords(MAX_SHOWN)} bytes`],
  ["changes of owner that are looked through for transfers in the feed", inWords(MAX_CHANGES)],
  ["entries of a history in an answer without `page`", inWords(MAX_ENTRIES)],
  ["names of a registry of ENSv2 below which its entries are listed", `${MAX_MOUNTS}, and 1`],
  [
    "entries of a registry of ENSv2 that are listed below its second and later names",
    inWords(MAX_SHARED_ENTRIES),
  ],
  ["labels of a name of ENSv2 that is listed", `${MAX_DEPTH}`],
  ["tokens that one log of ENSv2 moves", inWords(MAX_MOVED_TOKENS)],
  ["labels of all names of a bulk request", inWords(MAX_LABELS)],
  [
    "labels of all names that the addresses of a bulk request claim",
    `${inWords(MAX_CLAIMED_LABELS)}, names with the fewest first`,
  ],
  ["inputs of one look-up", inWords(MAX_INPUTS)],
  ["labels of all names of a look-up", `${inWords(MAX_LABELS_OF_LOOKUP)}, names with the fewest first`],
  [
    "texts, and addresses, of a name in a look-up",
    `${inWords(MAX_OF_NAME)} each, ${kib(MAX_BYTES_OF_NAME)} each`,
  ],
  [
    "keys, and coin types, that a request chooses",
    `${MAX_CHOSEN} each, ${inWords(MAX_KEY)} characters a key`,
  ],
  ["records that a look-up takes from the chain", mib(MAX_LIVE_BYTES)],
  ["ABIs, interfaces and public keys of a name", `${MAX_OTHER} settings`],
  ["names of an address record of which each is walked to", inWords(MAX_CHECKED)],
  ["texts, and addresses, of a name that are read for an answer", `${mib(MAX_READ_BYTES)} each`],
  ["a text in an agent's profile", `${inWords(MAX_PROFILE_TEXT)} characters`],
  ["an agent's URI", `${inWords(MAX_AGENT_URI)} characters`],
  ["names resolved on chain at a time", shares(MAX_QUESTIONS)],
  ["names of one request resolved at a time", `${MAX_QUESTIONS_OF_REQUEST}`],
  [
    "texts, and addresses, of a name that are compared with the contracts",
    `${MAX_COMPARED_RECORDS} each, and ${mib(MAX_COMPARED_BYTES)}`,
  ],
  ["calls to the nodes at a time", shares(MAX_CALLS)],
  ["questions to the chain that wait for a place", shares(MAX_WAITING)],
  ["requests to gateways at a time", shares(MAX_REQUESTS)],
  ["requests to one gateway host at a time", shares(MAX_REQUESTS_OF_HOST)],
  ["a gateway's silence", `${SILENCE_MS / 1_000} s`],
  ["rounds of look-ups of one answer", `${MAX_ROUNDS}`],
  ["requests to gateways of one answer", `${MAX_LOOKUPS}`],
  ["bytes to and fro for one answer", mib(MAX_EXCHANGED_BYTES)],
  ["look-ups in one batch", `${MAX_BATCH}`],
  ["a gateway's URLs", `${MAX_URLS} of one look-up, ${kib(MAX_URL_LENGTH)} each`],
  ["a gateway's answer", kib(MAX_ANSWER_BYTES)],
  ["a contract's answer, or a call", mib(MAX_RESULT_BYTES)],
  ["a contract's error", kib(MAX_REVERT_BYTES)],
  ["a node's reply", mib(MAX_REPLY_BYTES)],
  ["a record in a live answer", kib(MAX_VALUE_BYTES)],
  [
    "a live answer that is stored",
    `${kib(MAX_STORED_BYTES)}, ${mib(MAX_STORED_BYTES_A_MINUTE)} a minute of each process`,
  ],
  ["free requests of an address", `${FREE.requests} in ${FREE.seconds} s`],
  [
    "requests of an address that nothing pays for, with `ACCESS=metered`",
    `${UNPAID.requests} in ${UNPAID.seconds} s`,
  ],
  ["changes of one answer of the feed", inWords(MAX_FEED_CHANGES)],
  ["changes that one page of the feed looks through", inWords(MAX_SCANNED)],
  ["bytes of a text in the feed", inWords(MAX_TEXT_BYTES)],
  ["touched rows that the feed compares at once", inWords(MOST_TOUCHED)],
  ["rows that are compared to heal a gap of the feed", inWords(MOST_HEALED)],
  ["webhooks of one name whose values are read at once", `${hooks.NAMES_AT_ONCE}`],
  ["changes of the feed in a process's memory", inWords(MOST_IN_MEMORY)],
  ["streams of the feed of one process", shares({ most: MOST_STREAMS, each: MOST_OF_CALLER })],
  ["pages of the feed that a process reads at once for streams that are behind", `${READ_AT_ONCE}`],
  ["changes in memory for a reader of a stream that is behind", `${MOST_OF_PAGE / 1_024} KiB`],
  ["values of a name in a resync of the feed", `${inWords(MAX_RESYNCED)} rows, ${mib(MAX_RESYNCED_BYTES)}`],
  ["webhooks of a key, and of a service", `${hooks.MAX_OF_KEY}, and ${inWords(hooks.MAX_WEBHOOKS)}`],
  ["the URL of a webhook", `${inWords(hooks.MAX_URL)} characters; https, ports ${hooks.PORTS.join(" and ")}`],
  ["deliveries of a key's webhooks that wait", inWords(hooks.MAX_WAITING)],
  ["changes of one replay to a webhook", inWords(hooks.MAX_REPLAYED)],
  ["deliveries of a webhook in one answer", `${hooks.MAX_DELIVERIES}`],
  [
    "time for which finished deliveries of webhooks are shown",
    `${hooks.DELIVERY_DAYS} days; what waits stays ${hooks.EVENT_DAYS} days`,
  ],
  [
    "an attempt to deliver to a webhook",
    `${hooks.TIMEOUT_MS / 1_000} s, ${inWords(hooks.MAX_ANSWER)} bytes of the answer, ${DRAIN_MS / 1_000} s`,
  ],
  [
    "attempts to deliver to a webhook",
    `the longest wait ${(WAITS.at(-1) ?? 0) / 3_600} h, \`Retry-After\` up to ${MAX_RETRY_AFTER / 3_600} h`,
  ],
  [
    "attempts to deliver to webhooks at a time",
    `${hooks.AT_ONCE.all}, of one key ${hooks.AT_ONCE.key}, to one host ${hooks.AT_ONCE.host}, of receivers that fail ${hooks.AT_ONCE.failing} | they wait their turn; a turn has ${hooks.TURN.deliveries} deliveries or ${hooks.TURN.ms / 1_000} s`,
  ],
  [
    "a receiver's host that does not answer",
    `${SILENT_ATTEMPTS} attempts in a row, of any webhook's | it is left alone for ${LEFT_ALONE_MS / 1_000} s`,
  ],
  ["tests of a webhook", `one in ${hooks.TEST_SECONDS} s`],
  [
    "changes that are sorted out for webhooks at once",
    `${hooks.PAGE}, and ${inWords(hooks.MAX_MATCHES)} deliveries`,
  ],
  ["characters of a query of the subgraph", inWords(subgraph.MAX_QUERY)],
  ["tokens of a query of the subgraph", inWords(subgraph.MAX_TOKENS)],
  ["levels of a query of the subgraph", `${subgraph.MAX_DEPTH}`],
  ["fields of Query in one query of the subgraph", `${subgraph.MAX_ROOTS}, aliases counted`],
  ["fields of a query of the subgraph", inWords(subgraph.MAX_FIELDS)],
  [
    "levels of a query of the subgraph's schema, and values that it takes",
    `${subgraph.MAX_SCHEMA_LEVELS}, and ${inWords(subgraph.MAX_SCHEMA_VALUES)}`,
  ],
  ["reads of a query of the subgraph", `${subgraph.MAX_STATEMENTS}, one`],
  [
    "entities that a query of the subgraph asks for",
    `${inWords(subgraph.MAX_ENTITIES)}, by the products of \`first\`; a credit pays for ${inWords(subgraph.ENTITIES_OF_CREDIT)}`,
  ],
  ["entities that are read for a query of the subgraph", inWords(subgraph.MAX_READ)],
  ["names under which one field of an entity is selected in a query of the subgraph", `${subgraph.MAX_SAME}`],
  ["characters of a part that a query of the subgraph searches texts for", inWords(subgraph.MAX_PART)],
  ["characters of all values of these filters", inWords(subgraph.MAX_FILTER_TEXT)],
  ["blocks that a query of the subgraph names", `${subgraph.MAX_BLOCKS}`],
  ["logs since the past block of a query of the subgraph", inWords(subgraph.MAX_CHANGES)],
  [
    "entities of a list of the subgraph, and before it",
    `${inWords(subgraph.FIRST.most)}, and ${inWords(subgraph.MAX_SKIP)}`,
  ],
  [
    "conditions of the filters of a query of the subgraph",
    `${inWords(subgraph.MAX_CONDITIONS)}, values and filters of lists counted; ${subgraph.MAX_FILTER_LEVELS} levels; ${subgraph.MAX_RELATIONS} relations, and ${subgraph.MAX_RELATIONS_IN_ALL} in all`,
  ],
  [
    "queries of the subgraph that one process reads at once",
    `${subgraph.MAX_AT_ONCE.most}, of one caller ${subgraph.MAX_AT_ONCE.each}; ${subgraph.MAX_WAITING.most} wait, of one caller ${subgraph.MAX_WAITING.each}`,
  ],
  [
    "statements of these queries at once",
    `${subgraph.MAX_STATEMENTS_AT_ONCE.most}, of one caller ${subgraph.MAX_STATEMENTS_AT_ONCE.each}`,
  ],
  [
    "statements of queries of the subgraph that are prepared",
    `${subgraph.FREQUENT.mostNames} of ${inWords(subgraph.FREQUENT.periodMs / 60_000)} minutes, those that come often first`,
  ],
  ["a body of JSON", `${inWords(MAX_VALUES)} values, ${MAX_KEYS} keys, ${MAX_LEVELS} levels`],
  ["the form for a key of the explorer", `${inWords(MAX_FORM_BYTES)} bytes`],
  [
    "requests of one address that the gateway answers at the same time",
    `${gatewayVariables.GATEWAY_MAX_REQUESTS_PER_ADDRESS.example} (`,
  ],
  ["places of one address at the gateway", "the same part as is free of all"],
  ["bodies that the gateway holds", "as many as there are places, of the largest size"],
  [
    "requests of one connection that are answered at the same time, at the API and at the gateway",
    `1; ${MAX_BEHIND} wait behind it`,
  ],
  ["a connection without a request", `${KEEP_ALIVE_MS / 1_000} s`],
  ["pause of a caller who reads an answer", `${READER_PATIENCE.pauseMs / 1_000} s`],
  ["time of a caller to read an answer that waits for them", `${READER_PATIENCE.wholeMs / 1_000} s`],
  ["time for which a request holds credits or a payment", `${HELD_SECONDS} s`],
  ["labels that callers prove", `${MAX_LABEL_BYTES} bytes`],
  ["proven labels stored in a minute", `${MAX_LABELS_PER_MINUTE}`],
  ["names looked through for labels that another chain's logs spell out", `${NAMES_AT_ONCE} at once`],
  ["names that one look-up by labelhash resolves", `${PAGE_SIZE}`],
  ["names in the calendar of an address", `${MAX_ENDING}, .eth names first`],
  [
    "answers that a process keeps for questions that come again at once",
    `${answerVariables.HOT_ANSWERS_MB.unset.replaceAll("`", "")} MiB (\`HOT_ANSWERS_MB\`), ${inWords(MAX_ANSWER)} characters each`,
  ],
  [
    "time for which the newest block counts as known to answers from memory",
    `${KNOWN_MS} ms, or until the indexer notifies of another`,
  ],
  [
    "periods in a series of sales",
    `${MAX_PERIODS.day} days, ${MAX_PERIODS.week} weeks or ${MAX_PERIODS.month} months`,
  ],
  ["months ahead in a series of expiries", `${MONTHS_AHEAD}`],
  ["holders in a list of the largest", `${MAX_HOLDERS}`],
  ["a name in a calendar", `${MAX_WRITTEN} characters`],
  ["input of the explorer's search box", `${inWords(MAX_SOUGHT)} characters`],
  ["texts, and addresses of coins, on a page of a name", `${MAX_RECORDS} each`],
  ["a value on a page", `${SHOWN_AT_ONCE} characters, ${inWords(SHOWN_UNFOLDED)} unfolded`],
  [
    "a picture of a name",
    `${mib(avatars.MAX_BYTES)}, ${inWords(avatars.MAX_SIDE)} pixels a side, ${inWords(avatars.MAX_FRAMES)} frames`,
  ],
  ["the search for a picture of a name", `${avatars.MAX_MS / 1_000} s`],
  ["an avatar record that is no picture itself", `${inWords(avatars.MAX_URI)} characters`],
  [
    "a token's description",
    `${inWords(avatars.MAX_METADATA)} characters, ${inWords(avatars.MAX_BRACKETS)} lists and objects`,
  ],
  [
    "pictures of names that one process looks for at a time",
    `${shares(avatars.AT_ONCE)}, at one host ${avatars.AT_ONCE.host}; ${avatars.WAITING.most} wait, of one caller ${avatars.WAITING.each}`,
  ],
  ["avatars for which one process asks the chain", `${avatars.CHAIN_A_SECOND} a second`],
  [
    "pictures of names in a process's memory",
    `${mib(avatars.MEMORY_BYTES)}; an hour each, those of tokens ${avatars.REMEMBERED_SECONDS.token / 60} minutes, that there is none ${avatars.REMEMBERED_SECONDS.none / 60} minutes`,
  ],
  ["agents of a name on a page", String(MAX_AGENTS)],
  ["claims of primary names on a page", String(MAX_CLAIMS)],
  ["addresses of a page whose primary names are read", `the first ${MAX_NAMED}`],
  ["watched names in an address of the explorer", `${MAX_WATCHED}, of ${MAX_NAME} characters each`],
  ["registrations in a ranking of the largest", String(MAX_RANKED)],
  ["expiries in the calendar of a page", `${MAX_CALENDAR_NAMES} (one page`],
  [
    "names in a CSV file of the explorer",
    `${inWords(MAX_CSV_PAGES * CSV_PAGE_SIZE)} (${MAX_CSV_PAGES} pages`,
  ],
  ["an answer, over HTTP or MCP", `${MAX_JSON_BYTES / 1_048_576} MiB`],
  ["a label of a name", `${MAX_LABEL_BYTES} bytes`],
  ["a name written label by label", `${nameBytes} bytes`],
  ["name that an address claims", `${nameBytes} bytes`],
  ["labels learnt from one log of the NameWrapper", `a name of ${nameBytes} bytes`],
  [
    "names written in one block because of a log about other names: a label became known, a registry of ENSv2 was linked, unlinked or changed its code, or the way to it ends at another time",
    `${MAX_WORK_PER_BLOCK} for each chain`,
  ],
  ["names of one label, parent or registry in one turn, while others wait", `${WORK_PER_TURN}`],
];

test.each(bounds)("the bound of %s is %s, in docs/security.md too", (what, bound) => {
  const row = rows.find((line) => line.startsWith(`| ${what} |`)) ?? "no such row";
  expect(row).toContain(bound);
});

test("every row of docs/security.md is checked here", () => {
  const documented = rows
    .filter((line) => /^\| (?!what )[^-]/.test(line))
    .map((line) => line.split(" | ")[0]);
  expect(documented.sort()).toEqual(bounds.map(([what]) => `| ${what}`).sort());
});
