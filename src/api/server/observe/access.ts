import type { Access, Admission, Caller } from "../access/access.ts";
import { ApiError } from "../errors/errors.ts";
import type { Meters } from "./meters.ts";

/** Access that counts the outcome of each admission: answered, or the code of the refusal. */
export const countedAccess = (access: Access, { admissions }: Meters): Access => ({
  count: (caller, requests) => {
    try {
      access.count(caller, requests);
    } catch (thrown) {
      admissions.inc({ way: "unpaid", outcome: "RATE_LIMITED" });
      throw thrown;
    }
  },
  admit: async (caller, price) => {
    const way = wayOf(caller);
    const counted = async <T>(attempt: Promise<T>): Promise<T> =>
      attempt.catch((thrown: unknown) => {
        admissions.inc({ way, outcome: thrown instanceof ApiError ? thrown.code : "INTERNAL_ERROR" });
        throw thrown;
      });
    const watched = ({ settle, refund, raise }: Admission): Admission => ({
      refund,
      settle: async () => {
        const settled = await counted(settle());
        admissions.inc({ way, outcome: "answered" });
        return settled;
      },
      raise: async (credits) => watched(await counted(raise(credits))),
    });
    return watched(await counted(access.admit(caller, price)));
  },
});

function wayOf({ header }: Caller): "key" | "payment" | "free" {
  if (header("x-api-key") !== undefined) return "key";
  return header("authorization") === undefined ? "free" : "payment";
}
