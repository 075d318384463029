import { ownHostsOf } from "../../core/chains.ts";
import type { Feature } from "../../core/feature.ts";
import { rateLimiter } from "../../names/live/rateLimiter.ts";
import { shareOf } from "../../server/access/caller.ts";
import { createAvatars } from "./avatars.ts";
import { CHAIN_A_SECOND } from "./bounds.ts";
import { avatarPicture, avatarRecord } from "./record.ts";
import { avatarRoutes } from "./routes.ts";

/** Pictures of names, at `/avatar/{name}`. */
export const feature: Feature = {
  name: "avatars",
  switches: ["hasAvatars"],
  paths: ["/avatar/*"],
  build: ({ settings, chains, server }) => {
    const takeTurn = rateLimiter(CHAIN_A_SECOND);
    const avatars = createAvatars({
      ownHosts: ownHostsOf(settings),
      allowLoopback: settings.loopbackGateways,
      ipfsGateway: settings.ipfsGateway,
      chain: chains.nodesOf,
      takeTurn,
    });
    return {
      operations: [avatarPicture],
      routes: () =>
        avatarRoutes({
          ...server,
          record: avatarRecord(takeTurn),
          shareOf: (caller) => shareOf(caller, "open"),
          avatars,
        }),
    };
  },
};
