/** Families of contracts in words; the number at the end of a label is the contract's first block. */
const families: Record<string, string> = {
  REGISTRY: "Registry",
  REGISTRY_OLD: "Registry (2017)",
  REGISTRAR: ".eth registrar",
  REGISTRAR_OLD: ".eth registrar (2019)",
  REGISTRAR_AUCTION: ".eth auctions",
  REGISTRAR_DNS: "DNS registrar",
  CONTROLLER: "Controller",
  REVERSE_REGISTRAR: "Reverse registrar",
  DEFAULT_REVERSE_REGISTRAR: "Default reverse registrar",
  L2_REVERSE_REGISTRAR: "Layer 2 reverse registrar",
  RENEWAL_REFERRER: "Renewal referrer",
  PRICE_FEED: "Price feed",
  DNS_REGISTRAR: "DNS importer",
  SUBDOMAIN_REGISTRAR: "Subname registrar",
  SHORT_NAME_CLAIMS: "Short name claims",
  NAME_WRAPPER: "NameWrapper",
  RESOLVER: "Resolver",
};

/** Words that stay in capitals. */
const CAPITALS = /^(ENS.*|DNS|L2|ETH)$/;

/** Labels of the API, as opposed to titles of a deployment. */
const LABEL = /^[A-Z0-9_]+$/;

/**
 * A contract in words. A title of the deployment stays as it is.
 *
 * @example contractInWords("ENSV2_REGISTRY") // "ENSv2: registry"
 * @example contractInWords("RESOLVER_45") // "Resolver (block 45)"
 */
export function contractInWords(label: string): string {
  if (!LABEL.test(label)) return label;
  const [, family = label, block] = label.match(/^(.*?)(?:_(\d+))?$/) ?? [];
  const ensv2 = family.match(/^ENSV2_(.+)$/)?.[1];
  const words = ensv2 === undefined ? (families[family] ?? lowered(family)) : `ENSv2: ${lowered(ensv2)}`;
  return block === undefined ? words : `${words} (block ${Number(block).toLocaleString("en")})`;
}

/** `REVERSE_REGISTRAR` is `reverse registrar`. */
const lowered = (label: string): string =>
  label
    .split("_")
    .map((word) => (CAPITALS.test(word) ? word : word.toLowerCase()))
    .join(" ");
