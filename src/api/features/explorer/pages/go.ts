import { nodeOfNameByNode } from "../../../../ens/name.ts";
import { parseName } from "../../../names/schemas/input.ts";
import { ApiError } from "../../../server/errors/errors.ts";
import type { ExplorerPage, Visit } from "../page.ts";
import { askedAs } from "../parts/name.tsx";
import { meantBy } from "./pasted.ts";

/** Longest input that is looked at; no name, address or hash is as long. */
export const MAX_SOUGHT = 1_100;

/** Decides where what was typed into the search box belongs: a name, an address, a hash, or an agent. */
export const goPage: ExplorerPage = {
  path: "/explore/go",
  render: async (visit) =>
    redirect(await placeOf(visit, meantBy((visit.query("q") ?? "").slice(0, MAX_SOUGHT)))),
};

async function placeOf(visit: Visit, text: string): Promise<string> {
  const encoded = encodeURIComponent(text);
  if (/^0x[0-9a-f]{40}$/i.test(text)) return `address/${text}`;
  if (/^0x[0-9a-f]{64}$/i.test(text)) return `hash/${text}`;
  const [, agentId] = text.match(/^(?:agent\s*#?|#)\s*(\d{1,78})$/i) ?? [];
  if (agentId !== undefined) return `agents/${agentId}`;
  if (text.includes(".") || text.startsWith("["))
    return (await isUnnormalised(visit, text))
      ? `name/${encodeURIComponent(askedAs(text))}`
      : `name/${encoded}`;
  // A word that can be a .eth name: people ask whether it is free. Its page leads to the names that contain it.
  if (!/\s/u.test(text) && isReadable(`${text}.eth`)) return `name/${encodeURIComponent(`${text}.eth`)}`;
  return `search?q=${encoded}`;
}

/** Whether it can be normalised. */
function isReadable(name: string): boolean {
  try {
    return parseName(name).name !== "";
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Whether it is, to the letter, a name of the index that cannot be normalised: no wallet resolves it, but it was registered. */
async function isUnnormalised(visit: Visit, text: string): Promise<boolean> {
  if (isReadable(text)) return false;
  const hash = nodeOfNameByNode(askedAs(text));
  if (hash === null) return false;
  const reply = await visit.ask<{ type?: string }>("/lookup-hash/{hash}", { hash, partial: "true" });
  return reply.type === "namehash";
}

/** To a place relative to the request's, so that it holds below `/api` and behind a proxy with a path of its own. */
export const redirect = (place: string): Response =>
  new Response(null, { status: 303, headers: { Location: place } });
