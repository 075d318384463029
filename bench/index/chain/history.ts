import { contracts } from "./contracts.ts";
import { blockAt, type Ledger, timeOf } from "./ledger.ts";
import { lifeAfterwards } from "./life.ts";
import {
  migrate,
  type Registration,
  registerByHash,
  registerOld,
  registerV3,
  registerV4,
  registerV5,
  renew,
} from "./registrations.ts";
import { NEW_REGISTRY_BLOCK, openNewRegistry, openReverseRegistrar, openScene, type Scene } from "./scene.ts";
import { type Chance, seeded } from "./seeded.ts";

/** Last block with logs; the head of the chain is a little later. */
export const LAST_BLOCK = 24_500_000;

/** Logs of a block that has any, as on mainnet by estimate; and of a name in its life. */
const LOGS_PER_BLOCK = 6;
const LOGS_PER_NAME = 12;

/** Something that happens at a block. */
export type Act = { block: number; play: (scene: Scene, block: number) => void };

/** Generates the history of this number of .eth names, from the controllers of 2019 to those of 2025. Same seed, same chain. */
export const generate = (names: number, seed = 1): Ledger => generateScene(names, seed).ledger;

/** The same, with what the contracts have at the end. */
export function generateScene(names: number, seed = 1): Scene {
  const chance = seeded(seed);
  const acts = Array.from({ length: names }, (_, number) => lifeOf(chance, number)).flat();
  for (const act of acts) act.block = gathered(act.block, names);
  acts.push({ block: NEW_REGISTRY_BLOCK, play: openNewRegistry });
  acts.push({ block: contracts.reverseRegistrar3.startBlock, play: openReverseRegistrar });
  const scene = openScene(names, seed);
  for (const { block, play } of acts.sort((a, b) => a.block - b.block)) {
    if (block <= LAST_BLOCK) play(scene, block);
  }
  return scene;
}

/** Acts gather in fewer blocks than there are, so that each holds about as many logs as one of mainnet's. */
function gathered(block: number, names: number): number {
  const eventBlocks = (names * LOGS_PER_NAME) / LOGS_PER_BLOCK;
  const step = Math.max(1, Math.floor((LAST_BLOCK - NEW_REGISTRY_BLOCK) / eventBlocks));
  return Math.ceil(block / step) * step;
}

type Era = { share: number; from: number; to: number; register: (scene: Scene, act: Registration) => void };

/** Which controllers registered which share of all names, and when. */
const eras: readonly Era[] = [
  { share: 0.04, from: 7_700_000, to: 9_200_000, register: registerOld },
  { share: 0.5, from: 9_430_000, to: 17_500_000, register: registerV3 },
  { share: 0.28, from: 16_940_000, to: 24_400_000, register: registerV4 },
  { share: 0.15, from: 22_780_000, to: 24_450_000, register: registerV5 },
  { share: 0.03, from: 9_430_000, to: 24_400_000, register: registerByHash },
];

function eraOf(chance: Chance): Era {
  let rest = chance.next();
  for (const era of eras) {
    rest -= era.share;
    if (rest < 0) return era;
  }
  return eras[1] as Era;
}

/** Everything that happens to one name. */
function lifeOf(chance: Chance, number: number): Act[] {
  const era = eraOf(chance);
  const start = era.from + chance.whole(era.to - era.from);
  const years = chance.happens(0.7) ? 1 : 2 + chance.whole(4);
  const terms = { number, years, isBare: chance.happens(0.4), hasReverse: chance.happens(0.3) };
  const acts: Act[] = [{ block: start, play: (scene, block) => era.register(scene, { ...terms, block }) }];
  if (era.register === registerOld) {
    const block = 9_430_000 + chance.whole(500_000);
    acts.push({ block, play: (scene, block) => migrate(scene, block, number) });
  }
  acts.push(...laterTerms(chance, number, { start, years }), ...lifeAfterwards(chance, number, start));
  return acts;
}

const DAY = 86_400;
const YEAR = 365 * DAY;

/** Renewals in the last month of each term, until the owner gives the name up; some are then registered again. */
function laterTerms(
  chance: Chance,
  number: number,
  { start, years }: { start: number; years: number },
): Act[] {
  const acts: Act[] = [];
  let expiry = timeOf(start) + years * YEAR;
  while (blockAt(expiry) < LAST_BLOCK && chance.happens(0.5)) {
    const added = 1 + chance.whole(2);
    const terms = { number, years: added, isBare: true, hasReverse: false };
    const block = blockAt(expiry - chance.whole(30) * DAY);
    acts.push({ block, play: (scene, block) => renew(scene, { ...terms, block }) });
    expiry += added * YEAR;
  }
  const reborn = blockAt(expiry + (112 + chance.whole(300)) * DAY);
  if (reborn > LAST_BLOCK || !chance.happens(0.25)) return acts;
  const terms = { number, years: 1, isBare: chance.happens(0.4), hasReverse: false };
  acts.push({ block: reborn, play: (scene, block) => registerAt(block)(scene, { ...terms, block }) });
  return acts;
}

/** The controller that most people used then. */
function registerAt(block: number): Era["register"] {
  if (block > 22_780_000) return registerV5;
  return block > 16_940_000 ? registerV4 : registerV3;
}
