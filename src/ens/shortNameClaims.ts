import {
  concat,
  decodeAbiParameters,
  encodeAbiParameters,
  encodePacked,
  type Hex,
  keccak256,
  parseAbiParameters,
  size,
  slice,
  toEventSelector,
  toFunctionSelector,
} from "viem";

/*
 * ShortNameClaims (2019): owners of DNS names claimed short .eth names, and gave an e-mail address. The address is in the call, in
 * the log, and hashed into the claim's id. Logs and transactions lose it before anything else sees them: in a log it is left empty,
 * and the id follows the data.
 * Source: ensdomains/ethregistrar, contracts/ShortNameClaims.sol, `ClaimSubmitted`, `computeClaimId`.
 */

const CLAIM_SUBMITTED = toEventSelector("ClaimSubmitted(string,bytes,uint256,address,string)");

/** The log's data. Texts are read as bytes, because they need not be UTF-8. */
const words = parseAbiParameters("bytes claimed, bytes dnsname, uint256 paid, address claimant, bytes email");

/**
 * The data of a log without an e-mail address: that of claims is changed, once; that of other logs stays. Data that cannot be decoded
 * is dropped whole.
 */
export function withoutEmail({ topics, data }: { topics: readonly (Hex | null)[]; data: Hex }): Hex {
  if (topics[0] !== CLAIM_SUBMITTED) return data;
  try {
    const [claimed, dnsname, paid, claimant, email] = decodeAbiParameters(words, data);
    const rest = encodeAbiParameters(words, [claimed, dnsname, paid, claimant, "0x"]);
    if (data.startsWith(rest) && size(data) === size(rest) + 32) return data;
    const hashed = encodePacked(
      ["bytes32", "bytes32", "address", "bytes32"],
      [keccak256(claimed), keccak256(dnsname), claimant, keccak256(email)],
    );
    return concat([rest, keccak256(hashed)]);
  } catch {
    return "0x";
  }
}

const calls = ["Exact", "Combined", "Prefix"].map((form) => {
  const selector = toFunctionSelector(`submit${form}Claim(bytes,address,string)`);
  // The first argument begins after three words; the second is an address.
  return `${selector.slice(2)}${"60".padStart(64, "0")}${"0".repeat(24)}`;
});

/** The input of a transaction; dropped whole if it submits a claim, also through another contract. */
export const inputWithoutEmail = (input: Hex): Hex =>
  calls.some((call) => input.includes(call)) ? "0x" : input;

/** The id of a claim and the labelhash of its name, from data {@link withoutEmail}. */
export function claimIn(data: Hex): { claimId: Hex; labelhash: Hex } {
  const [claimed] = decodeAbiParameters(words, data);
  return { claimId: slice(data, -32), labelhash: keccak256(claimed) };
}
