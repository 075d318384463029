import { domain } from "ponder:schema";
import { namehash } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { labelhash, nodeOfLabels } from "../../src/ens/name.ts";
import { type Wired, wireService } from "../access/wired.ts";
import { account, domainRow, registeredRow } from "../query/rows.ts";

/* Where the search box leads. */

let wired: Wired;

const ODD = "Ünnormal ☃";
const oddNode = nodeOfLabels([labelhash(ODD), labelhash("eth")]);

beforeAll(async () => {
  wired = await wireService({});
  const odd = registeredRow("odd.eth", account(0xa11ce), 1_900_000_000n, {
    node: oddNode,
    labelhash: labelhash(ODD),
    label: ODD,
    fullName: `${ODD}.eth`,
  });
  await wired.tables.writer
    .insert(domain)
    .values([odd, domainRow("eth"), registeredRow("alice.eth", account(0xa11ce), 1_900_000_000n)]);
});
afterAll(() => wired?.close());

const ask = (path: string) => wired.app.request(`/explore/${path}`, { headers: { accept: "text/html" } });
const ledTo = async (text: string) =>
  decodeURIComponent((await ask(`go?q=${encodeURIComponent(text)}`)).headers.get("location") ?? "");

test.each([
  ["Alice.ETH", "name/Alice.ETH"],
  [" Alice.ETH ", "name/Alice.ETH"],
  [`" Alice.ETH "`, "name/Alice.ETH"],
  ["alice", "name/alice.eth"],
  [`${ODD}.eth`, `name/[namehash:${oddNode.slice(2)}]`],
  [` ${ODD}.eth`, `name/[namehash:${oddNode.slice(2)}]`],
  ["Ünknown ☃.eth", "name/Ünknown ☃.eth"],
  [namehash("alice.eth"), `hash/${namehash("alice.eth")}`],
])("%s leads to %s", async (text, place) => {
  expect(await ledTo(text)).toBe(place);
});

test("the page of a registered name that cannot be normalised opens from there", async () => {
  const reply = await ask(encodeURI(await ledTo(`${ODD}.eth`)));
  expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining("not normalised")]);
});

test.each(["name/%20Alice.ETH%20", `address/%20${account(0xa11ce)}%20`])(
  "/explore/%s opens despite its spaces",
  async (path) => {
    expect((await ask(path)).status).toBe(200);
  },
);

test("the page of a namehash leads to its name's, despite spaces", async () => {
  const reply = await ask(`hash/${namehash("alice.eth")}%20`);
  expect([reply.status, reply.headers.get("location")]).toEqual([303, "../../explore/name/alice.eth"]);
});
