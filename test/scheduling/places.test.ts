import { describe, expect, test } from "vitest";
import { fairPlaces } from "../../src/api/server/scheduling/places.ts";

/** Most of the tasks here are left waiting: their signal must not end while a later file runs in this process. */
const neverEnds = () => new AbortController().signal;

/** Places, and tasks that end when they are told to. */
function stage({ most = 4, each = 3, waiting = { most: 1_000, each: 100 } } = {}) {
  const places = fairPlaces({ running: { most, each }, waiting, refuse: () => new Error("too many wait") });
  const begun: string[] = [];
  const open = new Map<string, () => void>();
  const begin = (name: string, signal = neverEnds()) => {
    const caller = name.slice(0, 1);
    return places(caller, signal, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => open.set(name, resolve));
      return name;
    });
  };
  /** What begins now has begun after it. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    open.get(name)?.();
    await settle();
  };
  return { places, begun, begin, end, settle };
}

describe("places", () => {
  test("are limited in all, and for each caller", async () => {
    const { begun, begin, settle } = stage();
    for (const name of ["a1", "a2", "a3", "a4", "b1", "b2"]) void begin(name);
    await settle();
    expect(begun).toEqual(["a1", "a2", "a3", "b1"]);
  });

  test("go to the caller that has the fewest: a newcomer waits for one task", async () => {
    const { begun, begin, end, settle } = stage();
    for (let i = 1; i <= 50; i++) void begin(`a${i}`);
    for (let i = 1; i <= 50; i++) void begin(`b${i}`);
    void begin("c1");
    await settle();
    expect(begun).toEqual(["a1", "a2", "a3", "b1"]);
    await end("a1");
    expect(begun.at(-1)).toBe("c1");
    await end("a2");
    expect(begun.at(-1)).toBe("b2");
  });

  test("go round among callers that have as few", async () => {
    const { begun, begin, end, settle } = stage({ most: 1, each: 1 });
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) void begin(name);
    await settle();
    for (const name of ["a1", "b1", "c1", "a2", "b2"]) await end(name);
    expect(begun).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  test("are given back by a task that fails", async () => {
    const { places } = stage({ most: 1, each: 1 });
    await expect(places("a", neverEnds(), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await places("a", neverEnds(), async () => "sound")).toBe("sound");
  });

  test("are not waited for longer than the signal allows", async () => {
    const { begun, begin, end } = stage({ most: 1, each: 1 });
    const first = begin("a1");
    const ending = new AbortController();
    const late = begin("a2", ending.signal);
    const third = begin("a3");
    ending.abort(new Error("the time is over"));
    await expect(late).rejects.toThrow("the time is over");
    await expect(begin("a4", ending.signal)).rejects.toThrow("the time is over");
    await end("a1");
    await end("a3");
    expect([await first, await third, begun]).toEqual(["a1", "a3", ["a1", "a3"]]);
  });

  test("have lines of bounded length", async () => {
    const { begin } = stage({ most: 1, each: 1, waiting: { most: 3, each: 2 } });
    void begin("a1");
    void begin("a2");
    void begin("a3");
    await expect(begin("a4")).rejects.toThrow("too many wait");
    void begin("b1");
    await expect(begin("b2")).rejects.toThrow("too many wait");
  });
});
