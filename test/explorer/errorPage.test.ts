import { expect, test } from "vitest";
import { ApiError } from "../../src/api/errors/errors.ts";
import { errorPage } from "../../src/api/explorer/errorPage.tsx";

const fault = new ApiError("INVALID_NAME", "No name.");
const pageOf = (typed?: string) => String(errorPage(fault, typed).body);

test("the page of an error has what was typed in its search box, as text", () => {
  expect(pageOf("ali ce.eth")).toContain('value="ali ce.eth"');
  expect(pageOf('"><script>')).toContain('value="&quot;&gt;&lt;script&gt;"');
  expect(pageOf()).not.toContain("value=");
});
