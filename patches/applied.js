import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

// Plain JavaScript: `npm ci` runs it on any Node.js.

const folder = new URL(".", import.meta.url);

/** patch-package writes the hash of each patch that it applied into this file. */
const state = new URL("../node_modules/ponder/.patch-package.json", import.meta.url);

/** @returns {Map<string, string>} the hash of each patch that was applied, by its file */
function appliedPatches() {
  try {
    /** @type {{ patches: { patchFilename: string, patchContentHash: string, didApply: boolean }[] }} */
    const { patches } = JSON.parse(readFileSync(state, "utf8"));
    return new Map(
      patches
        .filter(({ didApply }) => didApply)
        .map((patch) => [patch.patchFilename, patch.patchContentHash]),
    );
  } catch {
    return new Map();
  }
}

/**
 * Why the installed Ponder does not have exactly the patches of this folder, and what to do; null if it has them.
 *
 * @returns {string | null}
 */
export function whyUnpatched() {
  const applied = appliedPatches();
  const patches = readdirSync(folder).filter((file) => file.endsWith(".patch"));
  if (patches.length === 0) return "The folder patches/ holds no patch. Check out the whole repository.";
  if (applied.size === 0) {
    return 'The installed Ponder lacks the changes in patches/: it was installed with --ignore-scripts. Run "npm ci".';
  }
  const isApplied = (/** @type {string} */ file) =>
    applied.get(file) ===
    createHash("sha256")
      .update(readFileSync(new URL(file, folder)))
      .digest("hex");
  if (applied.size === patches.length && patches.every(isApplied)) return null;
  return 'The installed Ponder has other changes than those in patches/. Run "npm ci": "npm install" cannot replace them.';
}

/** Ends the program with the reason if Ponder is not patched. */
export function requirePatchedPonder() {
  const reason = whyUnpatched();
  if (reason === null) return;
  console.error(`Namedex cannot start.\n${reason}`);
  process.exit(1);
}
