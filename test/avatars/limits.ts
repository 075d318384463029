import * as avatars from "../../src/api/features/avatars/bounds.ts";
import { mib, number, type Section, seconds, shares } from "../docs/limitRows.ts";

/** Its rows of the limit tables in docs/security.md. */
export const limits: Section = [
  "Avatars",
  [
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
    ["Avatars that need the chain", `${avatars.CHAIN_A_SECOND} per second and process`, "A drawing instead."],
    [
      "Avatars in memory",
      `${mib(avatars.MEMORY_BYTES)}. Cached for 1 hour; NFT images ${avatars.REMEMBERED_SECONDS.token / 60} minutes; misses ${avatars.REMEMBERED_SECONDS.none / 60} minutes`,
      "Loaded again.",
    ],
  ],
];
