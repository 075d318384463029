import { readFileSync } from "node:fs";

const read = (path: string) => readFileSync(new URL(`../../client/${path}`, import.meta.url), "utf8");

/** The strictest settings of an application; declarations of packages are checked, too. */
export const strictest = {
  target: "ES2022",
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  types: [],
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  noPropertyAccessFromIndexSignature: true,
  isolatedModules: true,
};

/** Types of packages that the examples use and that are not installed. */
const standIns = `declare module "@tanstack/react-query" {
  type Query<T> = {
    queryKey: readonly unknown[];
    queryFn: (context: { signal: AbortSignal }) => Promise<T>;
    enabled?: boolean;
    retry?: boolean;
    staleTime?: number;
  };
  export function useQuery<T>(query: Query<T>): { data: T | undefined; error: Error | null };
}
declare module "viem" {
  export type Client = { extend: <Actions>(actions: (client: Client) => Actions) => Client & Actions };
  export function createPublicClient(config: { chain: unknown; transport: unknown }): Client;
  export function http(): unknown;
}
declare module "viem/chains" {
  export const mainnet: unknown;
}
`;

/** Uses that must not compile, and answers typed down to the field. */
const typedUses = `import { connect, createNamedex, type Event, getEnsStats, getWhoisByName, type NamedexError, RateLimitedError, toDate } from "namedex-client";
const namedex = createNamedex({ url: "https://names.example.org" });
// @ts-expect-error The name is missing.
namedex.getWhoisByName();
// @ts-expect-error No such order exists.
namedex.getSearchDomains({ sort_by: "price" });
// @ts-expect-error Statistics have no pages.
namedex.pages("getEnsStats", {});
// @ts-expect-error Nor items.
namedex.items("getEnsStats", {});
// @ts-expect-error The address is missing.
namedex.items("getAddressDomains");
// @ts-expect-error No such operation exists.
namedex.getNothing();
const { results, total } = await namedex.getSearchDomains();
export const first: string | undefined = results[0]?.name;
// Absent if the caller asked for no count.
export const count: number | undefined = total;
export const calendar: string = await namedex.getDomainExpiryIcs({ name: "alice.eth" });
export const domains: number = (await namedex.getEnsStats({}, { signal: AbortSignal.timeout(1) })).total_domains;
for await (const { events } of namedex.pages("getDomainEvents", { name: "alice.eth" })) {
  events.map(({ block_number }) => block_number satisfies number);
}
export const codeOf = (error: NamedexError) =>
  error instanceof RateLimitedError ? (error.code satisfies "RATE_LIMITED") : null;

// Checking known narrows the type.
const alice = await namedex.name("alice.eth").whois();
// @ts-expect-error It may be unknown.
alice.ownership;
if (alice.known) {
  alice.ownership.owner satisfies \`0x\${string}\` | undefined;
  alice.namehash satisfies \`0x\${string}\`;
  // @ts-expect-error It may have no expiry.
  toDate(alice.expiry_timestamp);
  if (alice.availability_status === "grace" || alice.availability_status === "premium") {
    toDate(alice.grace_end_timestamp) satisfies Date;
    alice.expiry_timestamp satisfies bigint;
  }
  // @ts-expect-error No such state exists.
  if (alice.availability_status === "sold") throw alice;
  // @ts-expect-error Times are bigint.
  alice.created_timestamp satisfies number | undefined;
  // @ts-expect-error Nothing is null.
  alice.parent_name === null satisfies true;
} else {
  alice.query satisfies string;
  // @ts-expect-error An unknown name has no such field.
  alice.name;
}

// Events are a union by their type.
export function tell(event: Event): string {
  // @ts-expect-error Not every event has a value.
  event.value;
  switch (event.type) {
    case "registration":
      return String(event.cost_wei satisfies string | undefined);
    case "record":
      event.value satisfies string | undefined;
      // @ts-expect-error A record has no price.
      return String(event.cost_wei);
    case "transfer":
      return String(event.to_address satisfies \`0x\${string}\` | undefined);
    default:
      return event.event_type;
  }
}

// Methods for people, and items.
(await namedex.name("alice.eth").records()).records?.texts satisfies Record<string, string> | undefined;
// @ts-expect-error The name was given before.
namedex.name("alice.eth").whois({ name: "bob.eth" });
// @ts-expect-error No such method exists.
namedex.name("alice.eth").weather();
for await (const { name, known } of namedex.address("0x70997970C51812dc3A010C7d01b50e0d17dc79C8").names()) {
  name satisfies string;
  known satisfies true;
}
for await (const event of namedex.items("getDomainEvents", { name: "alice.eth", time_from: 1n })) tell(event);
// @ts-expect-error Time parameters are numbers.
namedex.getDomainEvents({ name: "alice.eth", time_from: new Date() });

const { primaryName } = namedex.address("0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
const current = await primaryName();
current.known satisfies boolean;
if (current.known) current.primary_name satisfies string | undefined;
// @ts-expect-error The history was not asked for.
current.history;
(await primaryName({ history: "true" })).history.length satisfies number;

// Results of lookups are told apart by their kind.
for (const result of (await namedex.lookup({ inputs: ["alice.eth"], records: {} })).results) {
  result.input satisfies string;
  // @ts-expect-error Not every result has a domain.
  result.domain;
  if (result.kind === "name") result.records?.texts satisfies Record<string, string> | undefined;
  if (result.kind === "address") result.address satisfies \`0x\${string}\`;
  if (result.kind === "invalid") result.error.message satisfies string;
}

// Single operations.
const ask = connect({ url: "/" });
(await ask(getWhoisByName, { name: "alice.eth" })).known satisfies boolean;
(await ask(getEnsStats)).total_domains satisfies number;
// @ts-expect-error The name is missing.
await ask(getWhoisByName);

// No export hides a global name.
import * as all from "namedex-client";
// @ts-expect-error No such export exists.
export type Hidden = all.Error;
`;

/** A code block of the README as a module: most of them continue the first one. */
const moduleOf = (code: string): string =>
  code.includes("createNamedex(") || code.includes("connect(")
    ? code
    : `import { createNamedex, toDate } from "namedex-client";\nexport { toDate };\nconst namedex = createNamedex({ url: "/" });\n${code}`;

/** The client's examples, and typed uses of it, as files of an application. */
export function applicationFiles(): Record<string, string> {
  const parts = [...read("README.md").matchAll(/```ts\n([\s\S]*?)```/g)];
  if (parts.length < 8) throw new Error("The README of the client has lost its examples");
  return {
    ...Object.fromEntries(parts.map(([, code = ""], i) => [`readme${i}.ts`, moduleOf(code)])),
    "usePrimaryName.ts": read("examples/usePrimaryName.ts"),
    "useNames.ts": read("examples/useNames.ts"),
    "standIns.d.ts": standIns,
    "typedUses.ts": typedUses,
  };
}
