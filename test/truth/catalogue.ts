import { agentActs } from "./actsOfAgents.ts";
import { nameActs } from "./actsOfNames.ts";
import { recordActs } from "./actsOfRecords.ts";
import { registrationActs } from "./actsOfRegistrations.ts";
import { reverseActs } from "./actsOfReverse.ts";
import { timeActs } from "./actsOfTime.ts";
import { wrapperActs } from "./actsOfWrapper.ts";
import type { Scene } from "./scene.ts";

/** An act of a history: its frequency relative to the others, and its code. */
export type Act = { weight: number; perform: (scene: Scene) => Promise<unknown> };

/** Every act by its name. */
export const acts: Record<string, Act> = {
  ...registrationActs,
  ...nameActs,
  ...wrapperActs,
  ...recordActs,
  ...reverseActs,
  ...agentActs,
  ...timeActs,
};

/** Names and weights, for the generator. */
export const actNames = Object.entries(acts).map(([name, { weight }]) => ({ name, weight }));
