import type { Contracts } from "../../../abis/contracts.ts";
import type { Settings } from "../../../settings/settings.ts";
import { holdGivenLabels } from "../names/labels/givenLabels.ts";
import { startHealing } from "../names/labels/healLabels.ts";
import { createLabelService } from "../names/labels/labelService.ts";
import { startSharing } from "../names/labels/shareLabels.ts";
import { startInPlace } from "../server/hotReload.ts";
import { readIndexerState } from "../server/indexState/progress.ts";
import { readIsStandby } from "../server/indexState/standby.ts";
import { pairLocks } from "../server/postgres/advisoryLocks.ts";
import type { Db } from "../server/postgres/db.ts";
import { workAlone } from "../server/postgres/lockedWork.ts";
import { askedLabelsIn } from "../server/serviceDb/askedLabels.ts";
import { labelRowsIn } from "../server/serviceDb/provenLabels.ts";
import { sharedLabelsIn } from "../server/serviceDb/sharedLabels.ts";
import type { Store } from "../server/serviceDb/store.ts";
import { ownHostsOf } from "./chains.ts";

type LabelsPlan = { settings: Settings; contracts: Contracts; db: Db; store: Store };

/** Starts the work on labels that no log of their chain spells out: for the handlers, between chains, by a service. */
export function startLabels({ settings, contracts, db, store }: LabelsPlan): void {
  const { databaseUrl, schema, serviceSchema, labelHealing } = settings;
  const warn = (line: string) => console.warn(line);
  const given = holdGivenLabels({ rows: labelRowsIn(store), schema, warn });
  startInPlace("given labels", () => given);
  // The handlers of the index run in this process, and import nothing of the API.
  Object.assign(globalThis, { namedexGivenLabels: given });
  // On a standby a lock would hold back no process on another server.
  const mayWork = async () => !(await readIsStandby(db)) && (await readIndexerState(db)).isReady;
  const aloneAs =
    (applicationName: string, lock: readonly [number, string]) =>
    (stopped: AbortSignal, work: (ended: AbortSignal) => Promise<void>) =>
      workAlone({ databaseUrl, applicationName, lock, stopped }, (_, ended) => work(ended));

  if (contracts.chainIds.length > 1) {
    startInPlace("label sharing", () =>
      startSharing({
        shared: sharedLabelsIn(store, { schema, chainIds: contracts.chainIds }),
        mayShare: mayWork,
        alone: aloneAs(`${serviceSchema}_shared_labels`, [
          pairLocks.labelSharing,
          `${serviceSchema} ${schema}`,
        ]),
        warn,
      }),
    );
  }
  if (labelHealing !== null) {
    const source = `service:${labelHealing.set.id}@${labelHealing.set.version}`;
    startInPlace("label healing", () =>
      startHealing({
        service: createLabelService({ ...labelHealing, ownHosts: ownHostsOf(settings) }),
        asked: askedLabelsIn(store, source),
        schema,
        mayAsk: mayWork,
        alone: aloneAs(`${serviceSchema}_labels`, [pairLocks.labelHealing, `${serviceSchema} ${source}`]),
        warn,
      }),
    );
  }
}
