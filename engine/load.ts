import { usualChanges } from "./changes/index.ts";
import { registerPackagePaths } from "./packagePaths.ts";
import { findChanges, missingChanges, registerChanges } from "./register.ts";
import { endWithParent } from "./withParent.ts";

// `node --import engine/load.ts <Ponder>`: loads Ponder with our changes, and fails where Ponder is another one.
// `load.ts?changes=a,b` loads these changes only. No setting of a user can do that: nodeFlags.ts makes the flag.

try {
  const named = new URL(import.meta.url).searchParams.get("changes");
  const wanted = named === null ? usualChanges : findChanges(named.split(",").filter(Boolean));
  const missing = missingChanges(wanted);
  if (missing.length > 0) {
    console.error(`WARNING: Ponder runs WITHOUT the changes ${missing.join(", ")}. Only benchmarks do this.`);
  }
  registerPackagePaths();
  registerChanges(wanted);
  endWithParent();
} catch (error) {
  console.error(`Namedex cannot start.\n${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
