import type { CallOptions } from "./connect.ts";
import type { Answer, OperationName, OperationParameters, Operations } from "./operations.ts";
import type { ItemOf, PagedOperation } from "./pages.ts";

/** Methods for one name, and their operations. */
const ofName = {
  whois: "getWhoisByName",
  records: "getDomainRecords",
  price: "getDomainPrice",
  registrations: "getDomainRegistrationHistory",
  owners: "getDomainOwnershipHistory",
  resolvers: "getDomainResolverHistory",
  permissions: "getDomainPermissions",
  agent: "getDomainAgent",
  verify: "getDomainVerify",
  calendar: "getDomainExpiryIcs",
} as const satisfies Record<string, OperationName>;

/** Lists of one name. */
const listsOfName = {
  subnames: "getDomainSubdomains",
  events: "getDomainEvents",
} as const satisfies Record<string, PagedOperation>;

/** Methods for one address, and their operations. */
const ofAddress = {
  summary: "getAddressSummary",
  primaryName: "getAddressPrimaryName",
  count: "getAddressDomainCount",
  calendar: "getAddressExpiriesIcs",
} as const satisfies Record<string, OperationName>;

/** Lists of one address. */
const listsOfAddress = {
  names: "getAddressDomains",
  previousNames: "getAddressPreviousDomains",
  resolvesTo: "getAddressResolvesTo",
  permissions: "getAddressPermissions",
  events: "getAddressEvents",
} as const satisfies Record<string, PagedOperation>;

type Questions = Record<string, OperationName>;
type Lists = Record<string, PagedOperation>;

/** An operation without the parameter that is already known. */
type Asked<Name extends OperationName, Subject extends string> = (
  parameters?: Omit<NonNullable<OperationParameters<Name>>, Subject>,
  options?: CallOptions,
) => Promise<Answer<Name>>;

type Listed<Name extends PagedOperation, Subject extends string> = (
  parameters?: Omit<NonNullable<OperationParameters<Name>>, Subject>,
  options?: CallOptions,
) => AsyncGenerator<ItemOf<Name>, void, undefined>;

type Of<Ones extends Questions, Many extends Lists, Subject extends string> = {
  readonly [Method in keyof Ones]: Asked<Ones[Method], Subject>;
} & { readonly [Method in keyof Many]: Listed<Many[Method], Subject> };

/**
 * Methods for one name. Each takes the parameters of its operation, then options.
 *
 * @example
 * const alice = namedex.name("alice.eth");
 * const { records } = await alice.records({ types: "text" });
 * for await (const { name } of alice.subnames()) console.log(name);
 */
export type NameQuestions = Of<typeof ofName, typeof listsOfName, "name"> & {
  /** One text record: `text("avatar")`. */
  readonly text: (key: string, options?: CallOptions) => Promise<Answer<"getDomainRecordsTextByKey">>;
};

type OfPrimaryName = Omit<NonNullable<OperationParameters<"getAddressPrimaryName">>, "address">;
type PrimaryNameAnswer = Answer<"getAddressPrimaryName">;
type WithHistory = Extract<PrimaryNameAnswer, { history: unknown }>;

/**
 * Methods for one address. Each takes the parameters of its operation, then options.
 *
 * @example
 * const { primary_name } = await namedex.address("0x7099…79C8").primaryName();
 */
export type AddressQuestions = Omit<Of<typeof ofAddress, typeof listsOfAddress, "address">, "primaryName"> & {
  /** The primary name: `primaryName()`; with `{ history: "true" }` also every claim. */
  readonly primaryName: {
    (parameters: OfPrimaryName & { history: "true" }, options?: CallOptions): Promise<WithHistory>;
    (
      parameters?: OfPrimaryName & { history?: "false" },
      options?: CallOptions,
    ): Promise<Exclude<PrimaryNameAnswer, WithHistory>>;
  };
};

/** How single answers and lists are read. */
type Sources = {
  operations: Operations;
  items: (name: PagedOperation, parameters: never, options?: CallOptions) => AsyncGenerator<unknown>;
};

/** The methods for one name. */
export function questionsOfName(sources: Sources, name: string): NameQuestions {
  return {
    ...questionsOf(sources, { subject: { name }, ones: ofName, many: listsOfName }),
    text: (key: string, options?: CallOptions) =>
      sources.operations.getDomainRecordsTextByKey({ name, key }, options),
  } as NameQuestions;
}

/** The methods for one address. */
export const questionsOfAddress = (sources: Sources, address: string): AddressQuestions =>
  questionsOf(sources, { subject: { address }, ones: ofAddress, many: listsOfAddress }) as AddressQuestions;

type Plan = { subject: object; ones: Questions; many: Lists };

function questionsOf({ operations, items }: Sources, { subject, ones, many }: Plan): object {
  const calls = Object.entries(ones).map(([method, name]) => {
    const call = operations[name] as (parameters: object, options?: CallOptions) => Promise<unknown>;
    return [method, (given?: object, options?: CallOptions) => call({ ...given, ...subject }, options)];
  });
  const lists = Object.entries(many).map(([method, name]) => [
    method,
    (given?: object, options?: CallOptions) => items(name, { ...given, ...subject } as never, options),
  ]);
  return Object.fromEntries([...calls, ...lists]);
}
