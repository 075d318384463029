import { readFileSync } from "node:fs";

const read = (path: string) => readFileSync(new URL(`../../client/${path}`, import.meta.url), "utf8");

/** The strictest settings of an application; declarations of packages are checked too. */
export const strictest = {
  ...{ target: "ES2022", strict: true, noEmit: true, skipLibCheck: false, types: [] },
  ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true },
  ...{ noPropertyAccessFromIndexSignature: true, isolatedModules: true },
};

/** Types of packages that the examples use and that are not installed. */
const standIns = `declare module "@tanstack/react-query" {
  type Query<T> = {
    queryKey: readonly unknown[];
    queryFn: (context: { signal: AbortSignal }) => Promise<T>;
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

/** Uses that must not compile, and answers that are typed to the field. */
const typedUses = `import { createNamedex, type NamedexError, RateLimitedError } from "namedex-client";
const namedex = createNamedex({ url: "https://names.example.org" });
// @ts-expect-error The name is missing.
namedex.getWhoisByName();
// @ts-expect-error There is no such order.
namedex.getSearchDomains({ sort_by: "price" });
// @ts-expect-error Statistics have no pages.
namedex.pages("getEnsStats", {});
// @ts-expect-error There is no such operation.
namedex.getNothing();
const { results, total } = await namedex.getSearchDomains();
export const first: string | undefined = results[0]?.name;
// Absent where the caller left the counting out.
export const count: number | undefined = total;
export const calendar: string = await namedex.getDomainExpiryIcs({ name: "alice.eth" });
export const domains: number = (await namedex.getEnsStats({}, { signal: AbortSignal.timeout(1) })).total_domains;
for await (const { events } of namedex.pages("getDomainEvents", { name: "alice.eth" })) {
  events.map(({ block_number }) => block_number satisfies number);
}
export const codeOf = (error: NamedexError) =>
  error instanceof RateLimitedError ? (error.code satisfies "RATE_LIMITED") : null;
`;

/** A part of the README as a module: most parts go on from the first one. */
const moduleOf = (code: string): string =>
  code.includes("createNamedex(")
    ? code
    : `import { createNamedex } from "namedex-client";\nconst namedex = createNamedex({ url: "/" });\n${code}`;

/** The examples of the client, and typed uses of it, as files of an application. */
export function applicationFiles(): Record<string, string> {
  const parts = [...read("README.md").matchAll(/```ts\n([\s\S]*?)```/g)];
  if (parts.length < 5) throw new Error("The README of the client has lost its examples");
  return {
    ...Object.fromEntries(parts.map(([, code = ""], i) => [`readme${i}.ts`, moduleOf(code)])),
    "usePrimaryName.ts": read("examples/usePrimaryName.ts"),
    "standIns.d.ts": standIns,
    "typedUses.ts": typedUses,
  };
}
