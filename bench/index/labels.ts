import { readOptions } from "../../ops/labels/options.ts";
import { importTables } from "../../ops/labels/run.ts";
import { holdGivenLabels } from "../../src/api/names/labels/givenLabels.ts";
import { labelRowsIn } from "../../src/api/server/serviceDb/provenLabels.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { keccak256 } from "../../src/ens/keccak.ts";
import type { Figure } from "../report.ts";
import { median, speedOf } from "./figures.ts";
import { dropSchema, type Measured, measureAndKeep, measureOne, type Place } from "./rounds.ts";

/** Schemas of the service's tables: with the labels, and with none. */
const [WITH, WITHOUT] = ["labels_known", "labels_none"] as const;

const ROWS_AT_ONCE = 20_000;

type Plan = {
  /** How many labels are known before the backfill. */
  count: number;
  rounds: number;
  /** A list of the labels of all names of the chain. */
  wordList: string;
};

/** What labels of others cost a backfill: those that the chain's names need are among them. */
export async function measureLabels({ count, rounds, wordList }: Plan, place: Place): Promise<Figure[]> {
  const { databaseUrl } = place;
  const store = openStore({ databaseUrl, schema: WITH });
  try {
    await measureAndKeep("namedex", "cold", place);
    await importTables({
      options: readOptions(["import", wordList]),
      settings: {
        databaseUrl,
        serviceDatabaseUrls: [databaseUrl],
        schema: "cold",
        viewsSchema: "views",
        serviceSchema: WITH,
      },
      signal: new AbortController().signal,
    });
    await dropSchema(databaseUrl, "cold");
    const needed = await countStored(store);
    for (let from = needed; from < count; from += ROWS_AT_ONCE)
      await addOthers(store, { from, end: Math.min(from + ROWS_AT_ONCE, count) });
    const readingSeconds = await measureReading(store);
    return figuresOf({ ...(await measureInTurn(place, rounds)), needed, count, readingSeconds });
  } finally {
    await store.close();
  }
}

async function countStored(store: Store): Promise<number> {
  const [row] = await store.query<{ count: number }>("SELECT count(*)::int AS count FROM proven_labels");
  return row?.count ?? 0;
}

/** Labels of names of other chains. */
async function addOthers(store: Store, { from, end }: { from: number; end: number }): Promise<void> {
  const labels = Array.from({ length: end - from }, (_, i) => `of-another-name-${from + i}`);
  await store.query(
    `INSERT INTO proven_labels (labelhash, label, source)
     SELECT labelhash, label, 'table:others@0' FROM unnest($1::bytea[], $2::text[]) AS one (labelhash, label)`,
    [labels.map((label) => Buffer.from(keccak256(label).slice(2), "hex")), labels],
  );
}

/** Seconds until the labels are in memory, as at each start. The first time they also get their numbers, which is not timed. */
async function measureReading(store: Store): Promise<number> {
  const read = async () => {
    const given = holdGivenLabels({ rows: labelRowsIn(store), schema: WITH, warn: console.error });
    const begun = performance.now();
    await given.ready();
    await given.stop();
    return (performance.now() - begun) / 1_000;
  };
  // An index of no tables has no labels to give back.
  await store.query("CREATE TABLE IF NOT EXISTS label_progress (position bigint)");
  await read();
  return read();
}

type Ways = Record<"unasked" | "none" | "known", Measured[]>;

async function measureInTurn(place: Place, rounds: number): Promise<Ways> {
  const ways: Ways = { unasked: [], none: [], known: [] };
  const hidden = new URL("./withoutLabels.ts", import.meta.url).href;
  for (let round = 0; round < rounds; round++) {
    const env = (schema: string) => ({ DATABASE_SERVICE_SCHEMA: schema });
    ways.unasked.push(
      await measureOne("namedex", `unasked_${round}`, place, {
        flags: ["--import", hidden],
        env: env(WITHOUT),
      }),
    );
    ways.none.push(await measureOne("namedex", `none_${round}`, place, { env: env(WITHOUT) }));
    ways.known.push(await measureOne("namedex", `known_${round}`, place, { env: env(WITH) }));
  }
  return ways;
}

type Outcome = Ways & { needed: number; count: number; readingSeconds: number };

function figuresOf({ unasked, none, known, needed, count, readingSeconds }: Outcome): Figure[] {
  const ratio = (runs: readonly Measured[], others: readonly Measured[], less = 0) =>
    median(runs.map((run, i) => speedAfter(run, less) / speedOf(others[i] ?? run)));
  const figures: Omit<Figure, "bench">[] = [
    {
      name: "a backfill that asks for no labels of others",
      value: median(unasked.map(speedOf)),
      unit: "events/s",
    },
    {
      name: "a backfill that knows none",
      value: median(none.map(speedOf)),
      unit: "events/s",
      ratio: ratio(none, unasked),
      target: { of: "ratio", atLeast: 0.98 },
    },
    { name: "labels that are known", value: count, unit: "labels" },
    { name: "of these, labels of names of the chain", value: needed, unit: "labels" },
    { name: "reading them into memory, at each start", value: readingSeconds, unit: "s" },
    {
      name: "a backfill that knows them",
      value: median(known.map(speedOf)),
      unit: "events/s",
      ratio: ratio(known, none),
    },
    {
      name: "the same after they are read",
      value: median(known.map((run) => speedAfter(run, readingSeconds))),
      unit: "events/s",
      ratio: ratio(known, none, readingSeconds),
      target: { of: "ratio", atLeast: 0.95 },
    },
  ];
  return figures.map((figure) => ({ bench: "labels in a backfill", ...figure }));
}

const speedAfter = ({ events, seconds }: Measured, less: number): number => events / (seconds - less);
