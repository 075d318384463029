import { describe, expect, test } from "vitest";
import { createStallJudge } from "../../ops/launch/watchdog.ts";

describe("a stall", () => {
  const judging = () => {
    let time = 0;
    const judge = createStallJudge(10_000, () => time);
    return (seconds: number, indexed: number, head: number | null) => {
      time = seconds * 1_000;
      return judge([{ chain: "mainnet", indexed, head }]);
    };
  };

  test("is ten seconds at one block while the head is ahead", () => {
    const at = judging();
    expect([at(0, 7, 8), at(9, 7, 9)]).toEqual([null, null]);
    expect(at(10, 7, 9)).toEqual({ chain: "mainnet", indexed: 7, head: 9, seconds: 10 });
  });

  test("requires a head that is ahead", () => {
    const at = judging();
    expect([at(0, 7, 7), at(20, 7, 7), at(21, 7, 8), at(29, 7, 8)]).toEqual([null, null, null, null]);
    expect(at(30, 7, 8)).not.toBe(null);
  });

  test("is not a long time spent on one large block", () => {
    let time = 0;
    const judge = createStallJudge(10_000, () => time);
    const at = (seconds: number, handled: number | null, base = 3) => {
      time = seconds * 1_000;
      const mainnet = { chain: "mainnet", indexed: 7, head: 9 };
      return judge([mainnet, { chain: "base", indexed: base, head: base + 1 }], handled);
    };
    for (let seconds = 0; seconds <= 300; seconds += 5) expect(at(seconds, seconds * 40)).toBe(null);
    expect(at(305, 300 * 40)).toBe(null);
    expect(at(310, 300 * 40)).toMatchObject({ chain: "mainnet", seconds: 10 });
  });

  test("is not ended by another chain's logs", () => {
    let time = 0;
    const judge = createStallJudge(10_000, () => time);
    const at = (seconds: number) => {
      time = seconds * 1_000;
      const mainnet = { chain: "mainnet", indexed: 7, head: 9 };
      return judge([mainnet, { chain: "base", indexed: seconds, head: seconds + 1 }], seconds * 40);
    };
    expect([at(0), at(5)]).toEqual([null, null]);
    expect(at(10)).toMatchObject({ chain: "mainnet" });
  });

  test("is judged by blocks if the indexer does not report its logs", () => {
    let time = 0;
    const judge = createStallJudge(10_000, () => time);
    const at = (seconds: number, handled: number | null) => {
      time = seconds * 1_000;
      return judge([{ chain: "mainnet", indexed: 7, head: 9 }], handled);
    };
    expect([at(0, 5), at(5, null), at(9, 50)]).toEqual([null, null, null]);
    expect(at(10, null)).not.toBe(null);
  });

  test("has its count restarted by an unknown head or any progress", () => {
    const at = judging();
    expect([at(0, 7, 9), at(9, 7, null), at(11, 7, 9), at(18, 7, 9)]).toEqual([null, null, null, null]);
    expect([at(19, 6, 9), at(28, 6, 9)]).toEqual([null, null]);
    expect(at(29, 6, 9)).not.toBe(null);
  });
});
