import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const file = "indexing-store/cache.js";

export const copyPieces: Change = {
  name: "copyPieces",
  group: "correct",
  problem:
    "`indexing-store/cache.js` makes one string of all rows of a table that a batch has, and V8 limits a string to 512 MB.",
  cost: "Rows of more than 512 MB in one batch, as a stranger's long records can be, end the indexer (`Invalid string length`), and each new attempt.",
  remedy: "The text is made in pieces of a megabyte, when the connection takes them.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that writes rows of any length.",
  edits: [
    {
      file,
      from: "export const getCopyHelper",
      to: `${importOf("inPieces", "rowStore/pieces.ts")}import { pipeline } from "node:stream/promises";
export const getCopyHelper`,
    },
    { file, from: "getCopyText(table, ", to: "inPieces(getCopyText, table, ", times: 4 },
    {
      file,
      from: `                copyStream.on("finish", resolve);
                copyStream.on("error", reject);
                copyStream.write(text);
                copyStream.end();`,
      to: "                pipeline(text, copyStream).then(resolve, reject);",
    },
    { file, from: "new Blob([text])", to: "new Blob([...text])" },
  ],
};
