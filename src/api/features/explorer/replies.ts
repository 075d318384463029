import type { z } from "zod";
import type { IndexingStatus } from "../../names/endpoints/indexingStatus.ts";
import type { Referrer, SalesPeriod, Seller } from "../../names/endpoints/salesEndpoints.ts";
import type * as agents from "../../names/schemas/agents.ts";
import type * as answers from "../../names/schemas/answers.ts";

/* Types of the answers that pages show. */

export type { IndexingStatus, Referrer, SalesPeriod, Seller };

export type Domain = z.infer<typeof answers.askedDomain>;
export type Whois = Domain | z.infer<typeof answers.unknownDomain>;
export type DomainItem = z.infer<typeof answers.domainItem>;
export type PreviousDomain = z.infer<typeof answers.previousDomain>;
export type Activity = z.infer<typeof answers.activity>;
export type DomainEvent = z.infer<typeof answers.event>;
export type OwnershipPeriod = z.infer<typeof answers.ownershipPeriod>;
export type Period = z.infer<typeof answers.period>;
export type Registration = z.infer<typeof answers.registration>;
export type PrimaryNameEntry = z.infer<typeof answers.primaryNameEntry>;
export type PermissionItem = z.infer<typeof answers.permission>;
export type NamePermissions = {
  fuses?: z.infer<typeof answers.burntFuses>;
  parent: z.infer<typeof answers.parentPower>;
  permissions: PermissionItem[];
  not_covered: z.infer<typeof answers.notCovered>;
  total?: number;
  next_cursor: string | null;
};
export type NameAgents = z.infer<typeof agents.nameAgents>;
export type AgentItem = z.infer<typeof agents.agentItem>;
export type NamePrice = z.infer<typeof answers.namePrice>;
export type PriceOffer = NonNullable<NamePrice["registration"]>;
export type BulkPrice = z.infer<typeof answers.bulkPrice>;
export type Availability = Domain["availability_status"];

export type Paged = { total: number; page?: number; page_size: number; next_cursor: string | null };

/** A page of names. */
export type Domains = { results: DomainItem[]; is_incomplete?: true } & Paged;
export type HistoryTotal = { total: number; is_incomplete?: true };

export type Unresolved = z.infer<typeof answers.unresolved>;

export type Records = {
  domain: string;
  resolver?: Domain["resolver"];
  records?: { texts: Record<string, string>; addresses: Record<string, string>; contenthash?: string | null };
  source: "indexed" | "live";
  unresolved?: Unresolved;
};

export type AddressSummary = {
  address: string;
  domain_count: number;
  primary_name?: string | null;
  unresolved?: Unresolved;
  domains_expiring_30d: number;
  previously_owned_count: number;
};

export type ChainStatus = IndexingStatus["chains"][number];
export type Ensv2Phase = NonNullable<IndexingStatus["ensv2"]>["phases"][number]["phase"];
