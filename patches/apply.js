import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { whyUnpatched } from "./applied.js";

// npm runs this after each install. patch-package also succeeds if it finds no patch, so the result is checked.

const root = new URL("..", import.meta.url);
const program = createRequire(import.meta.url).resolve("patch-package/dist/index.js");
const { status, stdout, stderr } = spawnSync(process.execPath, [program, "--error-on-fail"], {
  cwd: root,
  encoding: "utf8",
});
const reason = whyUnpatched();
if (status !== 0 || reason !== null) {
  console.error(`${stdout}${stderr}`);
  console.error(reason ?? "patch-package failed; see above.");
  process.exit(1);
}
