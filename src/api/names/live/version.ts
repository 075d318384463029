import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("./", import.meta.url);

/** A hash of this folder's files, which decide the form of answers: an answer that another version stored is not read. */
export const LIVE_VERSION: string = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .sort()
  .reduce((hash, file) => hash.update(readFileSync(new URL(file, folder))), createHash("sha256"))
  .digest("hex");
