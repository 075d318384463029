import type { z } from "zod";
import type { Text } from "../rules/agentKey.ts";
import { MAX_PROFILE_TEXT } from "../rules/shown.ts";
import type * as schemas from "../schemas/agents.ts";

export type AgentProfile = z.infer<typeof schemas.agentProfile>;

/** Longest owner-written URL in an answer. */
const MAX_URL = 2_048;
const MAX_ENDPOINTS = 20;

const endpointKey = /^agent-endpoint\[([^[\]]{1,64})\]$/;

/**
 * A name's description of its agent. The owner wrote it, and none of it was fetched or checked: texts are cut, and only URLs that
 * a client may follow are returned. Source: ENSIP-26; ENSIP-5; ENSIP-12 for avatars.
 */
export function toAgentProfile(texts: readonly Text[]): AgentProfile {
  const textOf = (wanted: string) => texts.find(({ key }) => key === wanted)?.value;
  const avatar = textOf("avatar");
  return {
    avatar: avatar !== undefined && isAvatar(avatar) ? avatar : null,
    description: shorten(textOf("description")),
    context: shorten(textOf("agent-context")),
    endpoints: Object.fromEntries(endpointsOf(texts).slice(0, MAX_ENDPOINTS)),
  };
}

const endpointsOf = (texts: readonly Text[]): [protocol: string, url: string][] =>
  texts.flatMap(({ key, value }): [string, string][] => {
    const protocol = endpointKey.exec(key)?.[1];
    return protocol !== undefined && isLink(value, ["http:", "https:", "ipfs:"]) ? [[protocol, value]] : [];
  });

function isLink(text: string, schemes: readonly string[]): boolean {
  return text.length <= MAX_URL && URL.canParse(text) && schemes.includes(new URL(text).protocol);
}

/** Forms of an avatar: a link, an NFT by CAIP-22 or CAIP-29, or the image itself. */
const isAvatar = (text: string): boolean =>
  isLink(text, ["http:", "https:", "ipfs:", "ipns:", "ar:", "eip155:"]) ||
  (/^data:image\//i.test(text) && text.length <= MAX_PROFILE_TEXT);

/** Whole code points up to the limit. */
function shorten(text: string | undefined): string | null {
  if (text === undefined) return null;
  return text.length > MAX_PROFILE_TEXT
    ? `${[...text.slice(0, MAX_PROFILE_TEXT)].slice(0, -1).join("")}…`
    : text;
}
