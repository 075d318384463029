import type { Log } from "./chainLogs.ts";
import type { Judge } from "./judge.ts";
import type { Row } from "./oracle.ts";
import { listPurchases, type Purchase } from "./purchases.ts";

const DAY = 86_400;

/** Registrations and renewals of the last days, counted again one by one, and the number of logs. */
export async function judgePurchases(judge: Judge): Promise<void> {
  const { getFresh, same, logs } = judge;
  const purchases = listPurchases(judge);
  await judgeDays({ getFresh, same }, purchases);
  const statistics = await getFresh("/ens-stats");
  if (statistics === null) return;
  const now = Date.parse(String(statistics.generated_at)) / 1_000;
  const since = (days: number, wanted: Purchase["kind"]) =>
    purchases.filter(
      ({ kind, logs: [{ blockTimestamp }] }) =>
        kind === wanted && blockTimestamp > now - days * DAY && blockTimestamp <= now,
    ).length;
  same("registrations_24h", statistics.registrations_24h, since(1, "registration"));
  same("registrations_7d", statistics.registrations_7d, since(7, "registration"));
  same("renewals_7d", statistics.renewals_7d, since(7, "renewal"));
  same(
    "total_events",
    statistics.total_events,
    logs.map(namesIn).reduce((a, b) => a + b, 0),
  );
}

/** A log that concerns several names counts for each. */
const namesIn = ({ args }: Log): number => (Array.isArray(args.ids) ? Math.max(1, args.ids.length) : 1);

async function judgeDays(
  { getFresh, same }: Pick<Judge, "getFresh" | "same">,
  purchases: readonly Purchase[],
) {
  const statistics = await getFresh("/ens-stats/registrations");
  if (statistics === null) return;
  const { daily, generated_at } = statistics;
  const now = Date.parse(String(generated_at));
  const days = Array.from({ length: 30 }, (_, i) => {
    const date = new Date(now - (29 - i) * DAY * 1_000).toISOString().slice(0, 10);
    const ofDay = purchases.filter(
      ({ logs: [log] }) =>
        new Date(log.blockTimestamp * 1_000).toISOString().startsWith(date) &&
        log.blockTimestamp * 1_000 <= now,
    );
    const registrations = ofDay.filter(({ kind }) => kind === "registration").length;
    return { date, registrations, renewals: ofDay.length - registrations };
  });
  for (const [i, day] of days.entries()) same(`purchases of ${day.date}`, (daily as Row[])[i], day);
  same("days with purchases", (daily as Row[]).length, days.length);
}
