import { ownHostsOf } from "../../core/chains.ts";
import { soon } from "../../core/core.ts";
import type { Feature } from "../../core/feature.ts";
import { limitsIn } from "../../server/access/limits.ts";
import { startInPlace } from "../../server/hotReload.ts";
import { readIsStandby } from "../../server/indexState/standby.ts";
import { lastKnown } from "../../server/scheduling/lastKnown.ts";
import { keysIn } from "../../server/serviceDb/keys.ts";
import { readRelease } from "../../server/serviceDb/releases.ts";
import { secondsSince } from "../feed/metrics.ts";
import { createReceivers } from "./attempt.ts";
import { createWebhookMeters } from "./metrics.ts";
import { webhookEndpoints } from "./operations.ts";
import { readStalledSince, readWebhooksState } from "./state.ts";
import { createWebhooks } from "./webhooks.ts";
import { startWebhooks } from "./worker.ts";

/** Changes of the feed that are sent to receivers; their owners look after them at `/webhooks`. */
export const feature: Feature = {
  name: "webhooks",
  switches: ["hasFeed", "hasWebhooks"],
  paths: ["/webhooks", "/webhooks/*"],
  build: ({ settings, db, store, contracts, meters }) => {
    const { secretKey } = settings.webhooks;
    const { databaseUrl, schema, serviceSchema } = settings;
    const isPaid = settings.access === "metered";
    // Receivers on this machine are allowed where gateways are: on a local chain.
    const receivers = { ownHosts: ownHostsOf(settings), allowLoopback: settings.loopbackGateways };
    const { observer, note } = createWebhookMeters(meters);
    const webhooks = createWebhooks({
      store,
      keys: keysIn(store),
      limits: limitsIn(store),
      secretKey,
      receivers: createReceivers(receivers),
    });
    if (secretKey !== null) {
      startInPlace("webhooks", () =>
        startWebhooks({
          databaseUrl,
          schema,
          serviceSchema,
          db,
          contracts,
          secretKey,
          receivers,
          isPaid,
          observer,
          // A standby may be behind what was sorted already: processes on the primary sort and send.
          isActive: async () =>
            !(await readIsStandby(db)) && [null, schema].includes((await readRelease(store)).active),
          log: (line) => console.warn(line),
        }),
      );
    }
    const readState = async () => ({
      state: await readWebhooksState(store, { isPaid }),
      stalledFor: secondsSince(await readStalledSince(db, store)),
    });
    const stateNow = lastKnown<null, Awaited<ReturnType<typeof readState>> | null>(readState, soon);
    return {
      operations: webhookEndpoints(webhooks),
      noteMetrics: async () => {
        const known = await stateNow(null);
        if (known !== null) note(known.state, known.stalledFor);
      },
    };
  },
};
