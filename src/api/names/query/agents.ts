import { agent, agentBinding, domain, resolverNode, textRecord } from "ponder:schema";
import { getTableColumns, type SQL } from "drizzle-orm";
import { and, desc, eq, inArray, isNotNull, isNull, like, lte, or, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { AgentHome } from "../../../../abis/contracts.ts";
import type { Db } from "../../server/postgres/db.ts";
import { builtOnce } from "../../server/postgres/prepared.ts";
import { MAX_AGENT_URI, MAX_PROFILE_TEXT } from "../rules/shown.ts";
import { beginningOf, beginningOfStored } from "./beginnings.ts";
import { isAtCurrentResolver, isInForce, isNodeOf } from "./currentRecords.ts";

/** A binding, with the agent's URI and owner in the registry. Both are null if the index does not follow the agent. */
export type BindingRow = typeof agentBinding.$inferSelect & { uri: string | null; owner: Address | null };

const { placeholder } = sql;

/** The owner of a token can bind any number of agents. Answers contain the newest. */
const MAX_AGENTS_OF_NAME = 100;

/** The newest bindings to a name's tokens, newest first. */
export const listBindingsOfName = (db: Db, home: AgentHome, node: Hex): Promise<BindingRow[]> =>
  builtOnce(
    db,
    "bindings of name",
    () =>
      selectBindings(db, eq(agentBinding.node, placeholder("node")))
        .orderBy(
          desc(agentBinding.blockTimestamp),
          desc(agentBinding.blockNumber),
          desc(agentBinding.logIndex),
        )
        .limit(MAX_AGENTS_OF_NAME),
    { ...home, node },
  );

/** Bindings of these agents, in any order. Agents that are not bound are left out. */
export const listBindings = async (
  db: Db,
  home: AgentHome,
  agentIds: readonly bigint[],
): Promise<BindingRow[]> =>
  agentIds.length === 0
    ? []
    : builtOnce(
        db,
        "bindings of agents",
        () => selectBindings(db, sql`${agentBinding.agentId} = any(${placeholder("agentIds")}::numeric[])`),
        { ...home, agentIds: agentIds.map(String) },
      );

/** URI and owner are valid only while the adapter owns the agent: the index does not follow it afterwards. */
const selectBindings = (db: Db, where: SQL) =>
  db
    .select({
      ...getTableColumns(agentBinding),
      uri: beginningOfStored(agent.uri, MAX_AGENT_URI),
      owner: agent.owner,
    })
    .from(agentBinding)
    .leftJoin(
      agent,
      and(
        eq(agent.chainId, agentBinding.chainId),
        eq(agent.registry, placeholder("registry")),
        eq(agent.agentId, agentBinding.agentId),
        eq(agent.owner, agentBinding.adapter),
      ),
    )
    .where(
      and(
        eq(agentBinding.chainId, placeholder("chainId")),
        eq(agentBinding.adapter, placeholder("adapter")),
        where,
      ),
    );

/** A text record in force. */
export type AgentTextRow = Pick<
  typeof textRecord.$inferSelect,
  "node" | "key" | "value" | "isValueKnown" | "blockNumber" | "transactionHash"
>;

/** Keys of an agent's profile besides its endpoints (ENSIP-26, ENSIP-5, ENSIP-12). */
export const profileKeys = ["avatar", "description", "agent-context"] as const;

/** Longer than the key of any real registry, ID or protocol. */
const MAX_KEY_LENGTH = 512;
const isUsableKey = sql`char_length(${textRecord.key}) <= ${sql.raw(String(MAX_KEY_LENGTH))}`;

const isProfileText = or(
  inArray(textRecord.key, [...profileKeys]),
  like(textRecord.key, "agent-endpoint[%"),
) as SQL;
const isClaimText = like(textRecord.key, "agent-registration[%");

/** Records in force that form the agent profiles of names, at their current resolvers. */
export const listProfileTexts = (
  db: Db,
  names: { chainId: number; nodes: readonly Hex[] },
): Promise<AgentTextRow[]> => listTextsOf(db, names, { title: "profile texts", condition: isProfileText });

/** Records in force of a name at its current resolver: its agent profile, and its claims to agents. */
export const listAgentTexts = (db: Db, { chainId, node }: { chainId: number; node: Hex }) =>
  listTextsOf(
    db,
    { chainId, nodes: [node] },
    { title: "agent texts", condition: or(isProfileText, isClaimText) as SQL },
  );

/** Keys of profiles and claims that any resolver ever logged for a name. */
export async function listAgentKeys(
  db: Db,
  { chainId, node }: { chainId: number; node: Hex },
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ key: textRecord.key })
    .from(textRecord)
    .where(
      and(
        eq(textRecord.chainId, chainId),
        eq(textRecord.node, node),
        isNull(textRecord.exact),
        or(isClaimText, like(textRecord.key, "agent-endpoint[%")),
        isUsableKey,
      ),
    )
    .limit(MAX_TEXTS_OF_NAME);
  return rows.map(({ key }) => key);
}

/** The newest of the selected records, limited for each name: a name with very many records does not displace other names. */
const listTextsOf = async (
  db: Db,
  { chainId, nodes }: { chainId: number; nodes: readonly Hex[] },
  { title, condition }: { title: string; condition: SQL },
): Promise<AgentTextRow[]> =>
  nodes.length === 0 ? [] : builtOnce(db, title, () => selectTexts(db, condition), { chainId, nodes });

function selectTexts(db: Db, condition: SQL) {
  const newestFirst = sql`${textRecord.blockNumber} desc, ${textRecord.logIndex} desc`;
  const texts = db
    .select({
      node: textRecord.node,
      key: textRecord.key,
      value: beginningOf(textRecord.value, MAX_PROFILE_TEXT).as("value"),
      isValueKnown: textRecord.isValueKnown,
      blockNumber: textRecord.blockNumber,
      transactionHash: textRecord.transactionHash,
      place: sql<number>`row_number() over (partition by ${textRecord.node} order by ${newestFirst})`.as(
        "place",
      ),
    })
    .from(textRecord)
    .innerJoin(domain, isAtCurrentResolver(textRecord))
    .leftJoin(resolverNode, isNodeOf(textRecord))
    .where(
      and(
        eq(textRecord.chainId, placeholder("chainId")),
        sql`${textRecord.node} = any(${placeholder("nodes")}::text[])`,
        isInForce(textRecord),
        or(isNotNull(textRecord.value), eq(textRecord.isValueKnown, false)),
        isUsableKey,
        condition,
      ),
    )
    .as("texts");
  const { place, ...columns } = texts._.selectedFields;
  return db.select(columns).from(texts).where(lte(place, MAX_TEXTS_OF_NAME)).orderBy(place);
}

const MAX_TEXTS_OF_NAME = 200;
