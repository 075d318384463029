import { contracts, foreignResolver } from "./contracts.ts";
import { type Act, LAST_BLOCK } from "./history.ts";
import { addSubname, approveOperator, setFuses, transfer, unwrap, wrap } from "./ownership.ts";
import { setDefaultName, setRecords, setResolver, setReverse, writeForeignRecord } from "./records.ts";
import type { Name, Scene } from "./scene.ts";
import type { Chance } from "./seeded.ts";

type OnName = (scene: Scene, block: number, name: Name) => void;

/** Blocks from which acts are possible. */
const START = { registry: 9_430_000, wrapper: 16_930_000, defaultNames: 22_780_000 } as const;

type Kind = { probability: number; from?: number; play: OnName };

const { resolver3, resolver4, resolver5 } = contracts;
const newestResolver = (block: number) =>
  block > 22_780_000 ? resolver5 : block > 16_930_000 ? resolver4 : resolver3;

/** What owners do with a name besides renewing it. The probabilities are estimates of mainnet's mix. */
const kinds: readonly Kind[] = [
  { probability: 0.2, play: transfer },
  { probability: 0.04, play: transfer },
  { probability: 0.12, play: (scene, block, name) => setResolver(scene, block, name, newestResolver(block)) },
  { probability: 0.35, play: (scene, block, name) => setRecords(scene, block, name, someRecords(scene)) },
  { probability: 0.15, play: (scene, block, name) => setRecords(scene, block, name, someRecords(scene)) },
  { probability: 0.03, play: (scene, block, name) => setRecords(scene, block, name, { contenthash: true }) },
  { probability: 0.06, from: START.wrapper, play: wrap },
  { probability: 0.02, from: START.wrapper, play: unwrap },
  { probability: 0.02, from: START.wrapper, play: setFuses },
  { probability: 0.22, play: setReverse },
  { probability: 0.02, from: START.defaultNames, play: setDefaultName },
  { probability: 0.05, play: (scene, block) => approveOperator(scene, block) },
  {
    probability: 0.02,
    play: (scene, block, name) => writeForeignRecord(scene, block, name, foreignResolver),
  },
];

const someRecords = ({ chance }: Scene) => ({ texts: 1 + chance.whole(4) });

/** Acts on a name at random blocks after its registration. */
export function lifeAfterwards(chance: Chance, number: number, start: number): Act[] {
  const acts: Act[] = [];
  const add = (play: OnName, from: number = START.registry) => {
    const first = Math.max(start, from) + 100;
    if (first >= LAST_BLOCK) return;
    acts.push({ block: first + chance.whole(LAST_BLOCK - first), play: onName(number, play) });
  };
  for (const { probability, from, play } of kinds) if (chance.happens(probability)) add(play, from);
  for (let count = subnamesOf(chance); count > 0; count--) add(playSubname);
  return acts;
}

/** Few names have subnames, and a very few many. */
function subnamesOf(chance: Chance): number {
  if (chance.happens(0.004)) return 20 + chance.whole(60);
  return chance.happens(0.06) ? 1 + chance.whole(3) : 0;
}

const playSubname: OnName = (scene, block, name) => addSubname(scene, block, name, [name.label, "eth"]);

const onName =
  (number: number, play: OnName): Act["play"] =>
  (scene, block) => {
    const name = scene.names[number];
    if (name && !name.isOld) play(scene, block, name);
  };
