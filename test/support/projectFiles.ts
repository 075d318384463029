import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder, without a slash at its end. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** Files of the project by their path from `root`: those that git has, and new ones that it does not ignore. */
export const projectFiles = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(root, file)));

/** Those that people write or read: no pictures, no fonts, not the list of packages that npm writes. */
export const textFiles = projectFiles.filter(
  (file) => file !== "package-lock.json" && !/\.(png|ico|woff2?)$/.test(file),
);
