import type { Change } from "../change.ts";

const file = "utils/decodeAbiParameters.js";

export const byteOrderMarks: Change = {
  name: "byteOrderMarks",
  group: "correct",
  problem:
    "`utils/decodeAbiParameters.js` decodes the texts of a log by viem's `hexToString`, which drops a byte order mark (U+FEFF) at the beginning, as a reader of files does.",
  cost: "A label, a record's key or value, a name or a URI that begins with one is another text than the contract's.",
  remedy: "The mark is kept.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that decodes the texts of logs with their byte order marks (viem decodes them, so its release may be the one).",
  edits: [
    {
      file,
      from: "hexToNumber, hexToString, Invalid",
      to: "hexToNumber, Invalid",
    },
    {
      file,
      from: "const TRUE_BOOL =",
      to: `const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const TRUE_BOOL =`,
    },
    {
      file,
      from: "return hexToString(value);",
      to: 'return utf8.decode(Buffer.from(value.slice(2), "hex"));',
    },
  ],
};
