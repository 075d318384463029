import fc from "fast-check";
import {
  bytesToHex,
  concat,
  decodeEventLog,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
  stringToHex,
  toEventSelector,
} from "viem";
import { describe, expect, test } from "vitest";
import { shortNameClaimsAbi } from "../../abis/labelSources.ts";
import { claimIn, inputWithoutEmail, withoutEmail } from "../../src/ens/shortNameClaims.ts";

const TOPIC = toEventSelector("ClaimSubmitted(string,bytes,uint256,address,string)");
const CLAIMANT = "0x00000000000000000000000000000000000000AA";
const words = parseAbiParameters("bytes, bytes, uint256, address, bytes");

type Claim = { claimed: Hex; dnsname: Hex; paid: bigint; email: Hex };
const logged = ({ claimed, dnsname, paid, email }: Claim): Hex =>
  encodeAbiParameters(words, [claimed, dnsname, paid, CLAIMANT, email]);
const stored = (data: Hex) => withoutEmail({ topics: [TOPIC], data });

/** Source: contracts/ShortNameClaims.sol, `computeClaimId`. */
const claimIdOf = ({ claimed, dnsname, email }: Claim): Hex =>
  keccak256(
    encodePacked(
      ["bytes32", "bytes32", "address", "bytes32"],
      [keccak256(claimed), keccak256(dnsname), CLAIMANT, keccak256(email)],
    ),
  );

const bytes = fc.uint8Array({ maxLength: 80 }).map((all) => bytesToHex(all));
const paid = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const claims = fc.record({ claimed: bytes, dnsname: bytes, paid, email: bytes });

describe("a claim without its e-mail address", () => {
  test("has the same id and name, and no part of the address", () => {
    fc.assert(
      fc.property(claims, (claim) => {
        const data = stored(logged(claim));
        expect(claimIn(data)).toEqual({ claimId: claimIdOf(claim), labelhash: keccak256(claim.claimed) });
        expect(data).toBe(concat([logged({ ...claim, email: "0x" }), claimIdOf(claim)]));
      }),
    );
  });

  test("stays the same if it comes again, as from an archive", () => {
    fc.assert(
      fc.property(claims, (claim) => {
        const data = stored(logged(claim));
        expect(stored(data)).toBe(data);
      }),
    );
  });

  test("is decoded like the event", () => {
    const claim = {
      claimed: stringToHex("jot"),
      dnsname: "0x036a6f74",
      paid: 7n,
      email: stringToHex("a@b.example"),
    };
    const { args } = decodeEventLog({
      abi: shortNameClaimsAbi,
      topics: [TOPIC],
      data: stored(logged(claim as Claim)),
    });
    expect(args).toEqual({ claimed: "jot", dnsname: "0x036a6f74", paid: 7n, claimant: CLAIMANT, email: "" });
  });

  test("differs from any other claim, whatever a claimant gives as an address", () => {
    const claim: Claim = { claimed: "0x61", dnsname: "0x", paid: 1n, email: "0x" };
    const forged: Claim = { ...claim, email: claimIdOf(claim) };
    expect(claimIn(stored(logged(forged))).claimId).toBe(claimIdOf(forged));
  });
});

test.each([
  "0x",
  "0x1234",
  `0x${"f".repeat(64 * 5)}`,
  logged({ claimed: "0x", dnsname: "0x", paid: 0n, email: "0x" }).slice(0, -64),
] as Hex[])("data that is not a claim is dropped whole: %s", (data) => expect(stored(data)).toBe("0x"));

test("other logs stay unchanged", () => {
  const data = logged({ claimed: "0x61", dnsname: "0x", paid: 1n, email: "0x62" });
  for (const topics of [[], [null], [`0x${"1".repeat(64)}`], [null, TOPIC]] as (Hex | null)[][])
    expect(withoutEmail({ topics, data })).toBe(data);
});

describe("the input of a transaction", () => {
  const abi = parseAbi([
    "function submitExactClaim(bytes name, address claimant, string email)",
    "function submitCombinedClaim(bytes name, address claimant, string email)",
    "function submitPrefixClaim(bytes name, address claimant, string email)",
    "function execute(address to, uint256 value, bytes data)",
    "function withdrawClaim(bytes32 claimId)",
  ]);
  const submit = (functionName: "submitExactClaim" | "submitCombinedClaim" | "submitPrefixClaim") =>
    encodeFunctionData({ abi, functionName, args: ["0x036a6f74", CLAIMANT, "who@mail.example"] });
  const execute = (data: Hex) =>
    encodeFunctionData({ abi, functionName: "execute", args: [CLAIMANT, 1n, data] });

  test.each(["submitExactClaim", "submitCombinedClaim", "submitPrefixClaim"] as const)(
    "of %s is dropped",
    (form) => {
      expect(inputWithoutEmail(submit(form))).toBe("0x");
      expect(inputWithoutEmail(execute(submit(form)))).toBe("0x");
    },
  );

  test("of other calls stays unchanged", () => {
    const selector = submit("submitExactClaim").slice(0, 10) as Hex;
    const withdraw = encodeFunctionData({
      abi,
      functionName: "withdrawClaim",
      args: [`0x${"6".repeat(64)}`],
    });
    for (const input of ["0x", withdraw, execute(withdraw), execute(selector)] as Hex[])
      expect(inputWithoutEmail(input)).toBe(input);
  });
});
