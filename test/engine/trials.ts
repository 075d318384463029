import { expect } from "vitest";
import { runNode, runTrial } from "./runTrial.ts";

/** A patch, and a program that shows its purpose: trials.test.ts runs it with our patches, plain/ without them. */
type Trial<Outcome> = {
  patch: string;
  /** The behavior of a patched Ponder. */
  does: string;
  run: (isPlain: boolean) => Promise<Outcome>;
  /** The program's output then. */
  right: Outcome;
  /** Whether it printed the fault of published Ponder. */
  isWrong(outcome: Outcome): boolean;
};

const trial = <Outcome>(one: Trial<Outcome>): Trial<unknown> => one;

const owned = { isLocked: 1, owner: 0, isFresh: true };
const answers = ["row 1", "row 12002", null, "row 500000"];
const kept = { kept: [true, true], answers, rows: 16_001 };
const noted = { chainId: 1, blockNumber: null, attempts: 3, why: "RetryableError: the node does not answer" };

type Lock = { isLocked: number; owner: unknown; isFresh: boolean };
type Kept = Record<"found" | "written" | "later" | "few", typeof kept>;
type Failing = { attempts: number; before: unknown; after: unknown; metrics: string[]; noted: object };

export const trials = [
  trial<{ to: number; checkpoint: number }[]>({
    patch: "lastBatch",
    does: "each batch of a backfill has the checkpoint of its own last block",
    run: () => runTrial("batchTrial.ts"),
    right: [
      { to: 2, checkpoint: 2 },
      { to: 3, checkpoint: 3 },
    ],
    isWrong: ([first]) => first?.to === 2 && first.checkpoint === 3,
  }),
  trial<string[][]>({
    patch: "lateHeads",
    does: "a block whose logs come late takes nothing back, and one that replaces a block does",
    run: () => runTrial("headsTrial.ts"),
    right: [["block 1", "block 2"], ["reorg 1"], ["block 2"]],
    isWrong: ([late]) => late?.includes("reorg 0") ?? false,
  }),
  trial<{ mostOpen: number }>({
    patch: "pollsInTurn",
    does: "a node that answers slowly is asked for its newest block once at a time, and again if it does not answer",
    run: () => runNode("pollTrial.ts"),
    right: { mostOpen: 1 },
    isWrong: ({ mostOpen }) => mostOpen > 2,
  }),
  trial({
    patch: "writtenFiles",
    does: "a file of the API that is emptied and then written is taken up as it was written",
    run: (isPlain) => runNode("writtenTrial.ts", { args: [isPlain ? "20" : "2"] }),
    right: { isTakenUp: true },
    isWrong: ({ isTakenUp }) => !isTakenUp,
  }),
  trial<{ away: number; failure: string | null }>({
    patch: "strictPort",
    does: "a port that another program took during the start fails the server, and no other port is taken",
    run: () => runNode("portTrial.ts"),
    right: {
      away: 0,
      failure: "The port <port> cannot be opened (EADDRINUSE): another program took it during the start",
    },
    isWrong: ({ away }) => away > 0,
  }),
  trial<Record<string, number | string>>({
    patch: "metricsApart",
    does: "its port has no metrics, however the path is written; they are given to the API",
    run: () => runNode("serveTrial.ts", { args: ["/metrics", "/%6detrics", "/health"] }),
    right: { given: "ponder_version_info 1\n", "/metrics": 404, "/%6detrics": 404, "/health": 200 },
    isWrong: ({ given: _, ...statuses }) => Object.values(statuses).every((status) => status === 200),
  }),
  trial<{ outcomes: string[]; predicted: number; misses: number; found: (string | null)[] }>({
    patch: "predictedRows",
    does: "rows that the parameters of a log cannot name are not asked for, and any number of others is",
    run: () => runTrial("predictedTrial.ts"),
    right: {
      outcomes: Array(12).fill("asked"),
      predicted: 14_000,
      misses: 0,
      found: ["there", "there", "there", null],
    },
    isWrong: ({ outcomes }) =>
      [
        'invalid input syntax for type bigint: "hello"',
        'invalid byte sequence for encoding "UTF8": 0x00',
        'invalid input syntax for type bigint: ""',
        'value "18446744073709551616" is out of range for type bigint',
      ].every((message, i) => outcomes[i] === message),
  }),
  trial<Record<"owned" | "afterSecond" | "released" | "taken", Lock> & Record<string, unknown>>({
    patch: "ownLock",
    does: "a schema has one writer: a process that lost its token writes nothing more and ends",
    run: () => runTrial("lockTrial.ts"),
    right: {
      owned,
      afterSecond: owned,
      released: { ...owned, isLocked: 0 },
      taken: { ...owned, owner: 1 },
      refused: expect.stringContaining("A different Ponder app is actively using this schema"),
      written: "written",
      attempts: 1,
      texts: ["by the owner"],
      exitCode: 75,
    },
    isWrong: ({ afterSecond }) => afterSecond.isLocked === 0,
  }),
  trial<Kept>({
    patch: "keptRows",
    does: "the store forgets rows that handlers only write, keeps those that they find, and answers the same",
    run: () => runTrial("keptTrial.ts"),
    right: {
      found: kept,
      written: { ...kept, kept: [false, false] },
      later: kept,
      few: { ...kept, rows: 41 },
    },
    isWrong: ({ written }) => written.kept.every(Boolean),
  }),
  ...["lost", "unheard"].map((fault) =>
    trial<{ blocks: number; rows: number; isComplete: boolean }>({
      patch: "failedCommit",
      does: `blocks whose commit is ${fault} count once`,
      run: () => runTrial("commitTrial.ts", { args: [fault] }),
      right: { blocks: 20, rows: 20, isComplete: true },
      isWrong: ({ blocks }) => blocks > 20,
    }),
  ),
  trial<Failing>({
    patch: "failingBlock",
    does: "blocks that are tried in vain are noted for the API, with the reason",
    run: () => runTrial("failingTrial.ts"),
    right: expect.objectContaining({ noted: expect.objectContaining(noted) }),
    isWrong: ({ attempts, before, after, metrics }) =>
      attempts === 3 && metrics.length === 0 && JSON.stringify(after) === JSON.stringify(before),
  }),
];
