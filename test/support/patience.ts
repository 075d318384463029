import { vi } from "vitest";

/**
 * The least time in milliseconds after which a wait of a test fails. Vitest gives up after a second unless a test says more, and
 * has no option for it. What is waited for takes many times as long on a machine that is busy or slow; a wait that ends well
 * costs nothing.
 */
const LEAST_MS = 60_000;

type Options = number | { timeout?: number; interval?: number };

const patient = (options: Options = {}) => {
  const { timeout = 0, ...rest } = typeof options === "number" ? { timeout: options } : options;
  return { ...rest, timeout: Math.max(timeout, LEAST_MS) };
};

const IS_PATIENT = Symbol.for("namedex.patient");

// Files that share a process have one `vi`.
if (!(IS_PATIENT in vi)) {
  const { waitFor, waitUntil } = vi;
  Object.assign(vi, {
    [IS_PATIENT]: true,
    waitFor: ((look, options) => waitFor(look, patient(options))) satisfies typeof waitFor,
    waitUntil: ((look, options) => waitUntil(look, patient(options))) satisfies typeof waitUntil,
  });
}
