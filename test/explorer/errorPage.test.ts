import { expect, test } from "vitest";
import { errorPage } from "../../src/api/features/explorer/errorPage.tsx";
import { ApiError } from "../../src/api/server/errors/errors.ts";

const fault = new ApiError("INVALID_NAME", "No name.");
const pageOf = (typed?: string) => String(errorPage(fault, { typed }).body);

test("the error page has the typed text in its search box, escaped", () => {
  expect(pageOf("ali ce.eth")).toContain('value="ali ce.eth"');
  expect(pageOf('"><script>')).toContain('value="&quot;&gt;&lt;script&gt;"');
  expect(pageOf()).not.toContain("value=");
});

test("the page for too many requests links to keys, and other pages do not", () => {
  const limited = new ApiError("RATE_LIMITED", "Too many.", { headers: { "Retry-After": "7" } });
  expect(String(errorPage(limited).body)).toMatch(
    /Try again in 7 seconds\.[\s\S]*<a class="button first" href="signup">Get a key/,
  );
  expect(String(errorPage(limited, { path: "explore/name/a.eth?x=<" }).body)).toContain(
    'name="back" value="explore/name/a.eth?x=&lt;"',
  );
  expect(String(errorPage(limited).body)).not.toContain("Forget my key");
  expect(String(errorPage(limited, { hasKey: true }).body)).toContain("Forget my key");
  expect(pageOf()).not.toContain("signup");
});
