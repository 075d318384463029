import { ens_normalize } from "@adraffy/ens-normalize";
import { z } from "@hono/zod-openapi";
import type { Address, Hex } from "viem";
import {
  ADDR_REVERSE_NODE,
  childNode,
  codePoints,
  ETH_NODE,
  fitsInBytes,
  labelhash,
  MAX_LABEL_BYTES,
  MAX_NAME_BYTES,
  nameByNode,
  nodeOfLabels,
  nodeOfNameByNode,
  ROOT_NODE,
} from "../../../ens/name.ts";
import { ApiError } from "../../server/errors/errors.ts";
import { DAY } from "../rules/seconds.ts";
import { parseWindows } from "./windows.ts";
import { MAX_LENGTHS, MAX_YEARS, parseYears } from "./years.ts";

/** What a caller asks for, as written, with its node. */
export type ParsedNode = { query: string; node: Hex };

/** A name that a caller asks for, normalised by ENSIP-15, with its hashes. */
export type ParsedName = ParsedNode & {
  /** Normalised. `[namehash:<64 hex>]` if the caller gave only the node. */
  name: string;
  /** The name itself if the caller gave only the node; then label and parent are not known. */
  label: string;
  labelhash: Hex | null;
  /** Code points of the label; null if the caller gave only its hash. */
  labelLength: number | null;
  parentNode: Hex | null;
};

/** Normalisation can shorten a name (soft hyphens vanish). Beyond this length it is not tried, to save the time. */
const MAX_RAW_LENGTH = 4_096;

export const UNKNOWN_LABEL = /^\[[0-9a-fA-F]{64}\]$/;
const BIDI_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Reads a name as callers write it. `[<64 hex>]` stands for a label known only by its hash, and
 * `[namehash:<64 hex>]` for a whole name that is given by its node.
 *
 * @throws ApiError INVALID_NAME with what is wrong
 * @example
 * parseName("Alice.eth").name; // "alice.eth"
 */
export function parseName(query: string): ParsedName {
  if (query === "") throw new ApiError("INVALID_NAME", "The name is missing.");
  if (query.length > MAX_RAW_LENGTH) throw tooLong();
  const given = nodeOfNameByNode(query);
  if (given !== null) return parsedNode(query, given);
  const labels = query.split(".").map(normalizeLabel);
  const name = labels.join(".");
  if (!fitsInBytes(name, MAX_NAME_BYTES)) throw tooLong();
  const hashes = labels.map(hashOfLabel);
  const parentNode = nodeOfParent(labels, hashes);
  const [label = ""] = labels;
  const [hash = ROOT_NODE] = hashes;
  return {
    query,
    name,
    label,
    labelhash: hash,
    labelLength: UNKNOWN_LABEL.test(label) ? null : codePoints(label),
    node: childNode(parentNode, hash),
    parentNode,
  };
}

function parsedNode(query: string, node: Hex): ParsedName {
  const name = nameByNode(node);
  return { query, node, name, label: name, labelhash: null, labelLength: null, parentNode: null };
}

function normalizeLabel(raw: string): string {
  if (UNKNOWN_LABEL.test(raw)) return raw.toLowerCase();
  const label = normalizeOrThrow(raw);
  if (label === "")
    throw new ApiError("INVALID_NAME", "The name cannot be normalised (ENSIP-15): empty label.");
  if (!fitsInBytes(label, MAX_LABEL_BYTES)) {
    throw new ApiError(
      "INVALID_NAME",
      `A label of the name is longer than ${MAX_LABEL_BYTES} bytes of UTF-8.`,
    );
  }
  return label;
}

/**
 * Most labels: normalisation leaves these letters, digits and hyphens as they are (ENSIP-15), and takes a while to say so. It
 * refuses hyphens that are third and fourth.
 */
const PLAIN_LABEL = /^(?!..--)[a-z0-9-]+$/;

function normalizeOrThrow(raw: string): string {
  if (PLAIN_LABEL.test(raw)) return raw;
  try {
    return ens_normalize(raw);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(BIDI_MARKS, "") : "invalid label";
    throw new ApiError("INVALID_NAME", `The name cannot be normalised (ENSIP-15): ${reason}.`);
  }
}

const tooLong = () =>
  new ApiError("INVALID_NAME", `The name is longer than ${MAX_NAME_BYTES} bytes of UTF-8.`);

const hashOfLabel = (label: string): Hex =>
  UNKNOWN_LABEL.test(label) ? `0x${label.slice(1, -1)}` : labelhash(label);

/** Most requests are for names directly under .eth: the node of .eth need not be hashed again. */
function nodeOfParent(labels: string[], hashes: Hex[]): Hex {
  if (labels.length === 2 && labels[1] === "eth") return ETH_NODE;
  return nodeOfLabels(hashes.slice(1));
}

/** The hashes of a name's labels, leftmost first; of a label in brackets it is what they hold. */
export const labelhashesOf = (name: string): Hex[] => name.split(".").map(hashOfLabel);

/** Node of a name as answers show it. */
export const nodeOfName = (name: string): Hex => nodeOfLabels(labelhashesOf(name));

/** Nodes of a name's ancestors, nearest first, without the root; each is hashed from the one above it. */
export function ancestorNodes(name: string): Hex[] {
  const nodes: Hex[] = [];
  const labels = name.split(".").slice(1);
  labels.reduceRight<Hex>((parent, label) => {
    const node = childNode(parent, hashOfLabel(label));
    nodes.push(node);
    return node;
  }, ROOT_NODE);
  return nodes.reverse();
}

/** True for names directly under .eth, whose lifetime the registrar decides. */
export const isEthSecondLevel = (name: { parentNode: Hex | null }): boolean => name.parentNode === ETH_NODE;

/** Node of the reverse name of an address: `<40 hex>.addr.reverse`. Source: EIP-181. */
export const reverseNode = (address: Address): Hex =>
  childNode(ADDR_REVERSE_NODE, labelhash(address.slice(2).toLowerCase()));

/** Turns a parser that throws ApiError into a schema; its issue carries the error's code. */
function parsed<T>(parse: (text: string) => T) {
  return z.string().transform((text, issues): T => {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      issues.addIssue({ code: "custom", message: error.message, params: { code: error.code } });
      return z.NEVER;
    }
  });
}

/** A text of at most `max` characters. @param read turns the text into a value, and may throw ApiError */
const bounded = <T>(name: string, max: number, read: (text: string) => T) =>
  parsed((text) => {
    if (text.length <= max) return read(text);
    throw new ApiError("INVALID_PARAMETER", `\`${name}\` is longer than ${max} characters.`);
  });

/** Words separated by commas. */
export const wordsOf = (text: string): string[] => text.split(",").map((word) => word.trim());

/** One of the values; the message names them all. */
function choice<const T extends string>(values: readonly T[], name: string) {
  return z.enum(values, { error: () => `\`${name}\` must be one of: ${values.join(", ")}.` });
}

type Bounds = { min: number; max: number; description?: string; example?: number };

const digits = (name: string, { min, max, ...about }: Bounds) =>
  z
    .string({ error: () => `\`${name}\` must be given once, as a number.` })
    .regex(/^-?[0-9]+$/, { error: () => `\`${name}\` must be a whole number.` })
    .transform(Number)
    .pipe(
      z
        .number()
        .min(min, { error: () => `\`${name}\` must be at least ${min}.` })
        .max(max, { error: () => `\`${name}\` must be at most ${max}.` }),
    )
    .openapi({ type: "integer", minimum: min, maximum: max, ...about });

/** Reads a hash of 32 bytes, in lower case. @throws ApiError INVALID_HASH */
export function parseHash(text: string): Hex {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) {
    throw new ApiError("INVALID_HASH", "The hash must be 0x and 64 hexadecimal digits.");
  }
  return text.toLowerCase() as Hex;
}

/** Reads an address, in lower case as in SQL; its checksum does not matter. @throws ApiError INVALID_ADDRESS */
export function parseAddress(text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    throw new ApiError("INVALID_ADDRESS", "The address must be 0x and 40 hexadecimal digits.");
  }
  return text.toLowerCase() as Address;
}

/** `true` or `false`, as text; `fallback` if it is left out. */
const flag = (name: string, description: string, fallback = false) =>
  choice(["true", "false"], name)
    .default(fallback ? "true" : "false")
    .openapi({ description })
    .transform((word) => word === "true");

/** The kinds of parameters: how each is read and described, and which error it gives. */
export const input = {
  name: (example = "alice.eth") =>
    parsed(parseName).openapi({
      description:
        "Full name, normalised by ENSIP-15. `[<64 hex>]` stands for a label known only by its hash, and `[namehash:<64 hex>]` for a whole name known by its node.",
      example,
    }),
  address: (example = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8") =>
    parsed(parseAddress).openapi({
      description: "Address: 0x and 40 hexadecimal digits, in any case.",
      example,
    }),
  hash: (description: string, example: string) => parsed(parseHash).openapi({ description, example }),
  choice,
  digits,
  flag,
  /** `true` or `false`, as text; undefined if it is left out. */
  optionalFlag: (name: string, description: string) =>
    choice(["true", "false"], name)
      .openapi({ description })
      .transform((word) => word === "true")
      .optional(),
  /** Whether the caller would rather have what is certain than an error. */
  partial: () =>
    flag(
      "partial",
      "`true`: if only the chain can tell something and cannot be asked, return what the index knows, and list the rest in `unresolved`. Otherwise the request fails with `LIVE_RESOLUTION_FAILED`",
    ),
  /** A day (UTC), as its number from 1 January 1970; undefined if it is left out. */
  day: (name: string, description: string) =>
    z.iso
      .date({ error: () => `\`${name}\` must be a date like 2026-03-31.` })
      .openapi({ description, example: "2026-03-31" })
      .transform((date) => Date.parse(date) / 1_000 / DAY)
      .optional(),
  /** Any text up to a length, without NUL, which PostgreSQL's texts cannot hold. */
  text: (name: string, about: { max: number; description: string; example?: string }) =>
    bounded(name, about.max, (text) => {
      if (text.includes("\0")) throw new ApiError("INVALID_PARAMETER", `\`${name}\` must not contain NUL.`);
      return text;
    }).openapi({
      maxLength: about.max,
      description: about.description,
      ...(about.example !== undefined && { example: about.example }),
    }),
  /**
   * A list of texts in a body. The check ends at the first item that is none: a body has room for 500,000 items, and an
   * issue for each would take more than a second.
   */
  texts: (about: { description: string; example: string[]; minItems?: number; maxItems?: number }) =>
    z
      .array(z.unknown())
      .transform((items, issues) => {
        const wrong = items.findIndex((item) => typeof item !== "string");
        if (wrong < 0) return items as string[];
        issues.addIssue({ code: "invalid_type", expected: "string", input: items[wrong], path: [wrong] });
        return z.NEVER;
      })
      .openapi({ type: "array", items: { type: "string" }, ...about }),
  /** Some of the values, separated by commas. */
  list: <const T extends string>(values: readonly T[], name: string, description: string) =>
    parsed((text): T[] => {
      const words = wordsOf(text);
      const wrong = words.find((word) => !values.includes(word as T));
      if (wrong !== undefined) {
        throw new ApiError("INVALID_PARAMETER", `\`${name}\` may contain: ${values.join(", ")}.`);
      }
      return words as T[];
    }).openapi({ description, example: values.join(",") }),
  /** At least one of the values, separated by commas; each once. */
  words: <const T extends string>(
    values: readonly T[],
    name: string,
    about: { description: string; example: string },
  ) =>
    parsed((text): T[] => {
      const words = text.length > MAX_WORDS ? [""] : wordsOf(text);
      if (!words.every((word) => values.includes(word as T))) {
        throw new ApiError(
          "INVALID_PARAMETER",
          `\`${name}\` may contain, separated by commas: ${values.join(", ")}.`,
        );
      }
      return [...new Set(words as T[])];
    }).openapi({ ...about, maxLength: MAX_WORDS }),
  /** Chains by their words, separated by commas; undefined if it is left out. */
  chains: (fallback: string) =>
    bounded("chain", MAX_CHAINS, wordsOf)
      .openapi({
        description: `Names of these chains only, by their names in answers, separated by commas. ${fallback}`,
        example: "mainnet",
        maxLength: MAX_CHAINS,
      })
      .optional(),
  /** Windows of time; undefined if it is left out. */
  windows: (description: string) =>
    parsed(parseWindows)
      .openapi({ description, example: "1893456000-1893542399,1896048000-1896134399", maxLength: 1_024 })
      .optional(),
  /** Lengths of a registration in whole years; one year if it is left out. */
  years: () =>
    bounded("years", MAX_WORDS, parseYears)
      .openapi({
        description: `Lengths in whole years of 365 days, separated by commas: at most ${MAX_LENGTHS}, each from 1 to ${MAX_YEARS}. One year by default`,
        example: "1,2,3,5,10",
        maxLength: MAX_WORDS,
      })
      .optional(),
  /** Order of a list: by which column, and in which direction. */
  sortBy: <const T extends string>(columns: readonly [T, ...T[]]) =>
    choice(columns, "sort_by").default(columns[0]).openapi({ description: "Sort column" }),
  sortDir: (first: "asc" | "desc" = "asc") =>
    choice(["asc", "desc"], "sort_dir").default(first).openapi({ description: "Sort direction" }),
};

/** More than all words of one parameter take. */
const MAX_WORDS = 256;

/** Far more than all chains of a deployment take. */
export const MAX_CHAINS = 256;
