import type { Address, Hex } from "viem";
import type { HostileStage } from "./stage.ts";

/** What an attack has touched: every operation is asked about it. */
export type Traces = {
  names?: readonly string[];
  nodes?: readonly Hex[];
  labelhashes?: readonly Hex[];
  addresses?: readonly Address[];
  /** Keys of texts. */
  keys?: readonly string[];
};

/** One attack that a stranger can make. */
export type Attack = {
  /** A short description, as the benchmark prints it. */
  name: string;
  /** Runs it, and returns what it has touched. Its writes to the chain are mined when this ends, but not yet indexed. */
  run: (stage: HostileStage) => Promise<Traces>;
};

/** Attacks of one kind. */
export type Family = { name: string; attacks: readonly Attack[] };
