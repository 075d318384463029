import type { Address, Hex } from "viem";
import type { HostileStage } from "./stage.ts";

/** What an attack has touched: every operation is asked about these. */
export type Traces = {
  names?: readonly string[];
  nodes?: readonly Hex[];
  labelhashes?: readonly Hex[];
  addresses?: readonly Address[];
  /** Keys of texts. */
  keys?: readonly string[];
};

/** One thing that a stranger can do. */
export type Attack = {
  /** In a few words, as the benchmark prints it. */
  name: string;
  /** Does it, and gives what it has touched. What it puts on chain is mined when this ends, not yet indexed. */
  run: (stage: HostileStage) => Promise<Traces>;
};

/** Attacks of one kind. */
export type Family = { name: string; attacks: readonly Attack[] };
