/**
 * Compiles the Solidity of the devnet (doubles of the later ENS contracts, and test contracts) into committed artifacts.
 *
 * `node devnet/compile.ts` writes `contracts/compiled/<Name>.json`; with `--check` it writes nothing and fails when what
 * is committed differs from a fresh compile.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Abi, Hex } from "viem";

const SOURCES = join(import.meta.dirname, "contracts");
const OUTPUT = join(SOURCES, "compiled");

type CompiledContract = { abi: Abi; evm: { bytecode: { object: string } } };
type CompilerMessage = { severity: string; formattedMessage: string };
type CompilerOutput = {
  errors?: CompilerMessage[];
  contracts?: Record<string, Record<string, CompiledContract>>;
};

/** One committed artifact: the ABI and the creation code of one deployable contract. */
export type Artifact = { abi: Abi; bytecode: Hex };

/** Compiles all sources. Throws with the compiler's messages on any error or warning. */
function compileContracts(): Map<string, Artifact> {
  const output = runCompiler();
  const messages = output.errors ?? [];
  if (messages.length > 0) {
    throw new Error(`solc: ${messages.map((message) => message.formattedMessage).join("\n")}`);
  }
  const artifacts = new Map<string, Artifact>();
  for (const contracts of Object.values(output.contracts ?? {})) {
    for (const [name, { abi, evm }] of Object.entries(contracts)) {
      // Interfaces and abstract contracts have no code.
      if (evm.bytecode.object !== "") artifacts.set(name, { abi, bytecode: `0x${evm.bytecode.object}` });
    }
  }
  return artifacts;
}

function runCompiler(): CompilerOutput {
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(
      solidityFiles().map((file) => [file, { content: readFileSync(join(SOURCES, file), "utf8") }]),
    ),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: "cancun",
      metadata: { bytecodeHash: "none", appendCBOR: false },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  // Loaded here only: the compiler is a file of 9 MB.
  const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string };
  return JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
}

function solidityFiles(): string[] {
  return readdirSync(SOURCES)
    .filter((file) => file.endsWith(".sol"))
    .sort();
}

function toFiles(artifacts: Map<string, Artifact>): Map<string, string> {
  return new Map(
    [...artifacts].map(([name, artifact]) => [`${name}.json`, `${JSON.stringify(artifact, null, 1)}\n`]),
  );
}

/** The names of the committed artifacts that a fresh compile would add, change or remove. */
function staleArtifacts(): string[] {
  const fresh = toFiles(compileContracts());
  const committed = existsSync(OUTPUT) ? readdirSync(OUTPUT) : [];
  const surplus = committed.filter((file) => !fresh.has(file));
  const changed = [...fresh].filter(
    ([file, text]) => !committed.includes(file) || readFileSync(join(OUTPUT, file), "utf8") !== text,
  );
  return [...surplus, ...changed.map(([file]) => file)].sort();
}

function writeArtifacts(): void {
  const files = toFiles(compileContracts());
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  for (const [file, text] of files) writeFileSync(join(OUTPUT, file), text);
  console.log(`wrote ${files.size} artifacts`);
}

function check(): void {
  const stale = staleArtifacts();
  if (stale.length === 0) return;
  console.error(`stale: ${stale.join(", ")}. Run: node devnet/compile.ts`);
  process.exitCode = 1;
}

if (import.meta.main) {
  if (process.argv.includes("--check")) check();
  else writeArtifacts();
}
