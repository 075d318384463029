import type { z } from "zod";
import type * as agents from "../../names/schemas/agents.ts";
import type * as answers from "../../names/schemas/answers.ts";

/* Types of the answers that pages show. */

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

export type ChainStatus = {
  chain: string;
  chain_id: number;
  phase: "backfill" | "realtime";
  head_block_number: number | null;
  indexed_block_number: number;
  indexed_block_timestamp: number;
  finalized_block_number: number;
  lag_blocks: number | null;
  lag_seconds: number | null;
  progress_percentage: number | null;
  estimated_seconds_left: number | null;
};

export type IndexingStatus = {
  ready: boolean;
  reason: "building" | "catching_up" | "late" | "failing" | "false_source" | "no_database" | null;
  failing: {
    chain: string;
    block_number: number | null;
    attempts: number;
    since: number;
    why: string;
  } | null;
  running: boolean;
  phase: "backfill" | "realtime";
  network: string;
  schema: string;
  active: boolean;
  build: string;
  max_lag_seconds: number | null;
  chains: ChainStatus[];
  ensv2?: {
    phase: Ensv2Phase | null;
    phases: { phase: Ensv2Phase; block_number: number; block_timestamp: number }[];
  };
};

export type Ensv2Phase = "deployed" | "reserving" | "frozen" | "handed_over" | "open" | "public";
