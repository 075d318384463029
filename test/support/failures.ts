import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** Where the last run says what failed. `.ci/run` prints it at its end, where even a cut log has it. */
const FILE = ".namedex/failures.txt";
const LINES_OF_A_REASON = 12;

interface Reason {
  readonly message: string;
  readonly stack?: string;
}

/** Writes what made a run fail: tests, hooks, files that cannot be loaded, and errors that nothing waited for. */
export class Failures implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly Reason[]): void {
    const failures = [
      ...modules.flatMap(failuresOf),
      ...unhandled.map((reason) => failure("an error that nothing waited for", [reason])),
    ];
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(FILE, failures.join(""));
  }
}

function failuresOf(module: TestModule): string[] {
  const file = module.relativeModuleId;
  const withErrors = [
    { name: file, reasons: module.errors() },
    ...[...module.children.allSuites()].map((suite) => ({
      name: `${file} > ${suite.fullName}`,
      reasons: suite.errors(),
    })),
    ...[...module.children.allTests("failed")].map((test) => ({
      name: `${file} > ${test.fullName}`,
      reasons: test.result().errors ?? [],
    })),
  ];
  return withErrors
    .filter(({ reasons }) => reasons.length > 0)
    .map(({ name, reasons }) => failure(name, reasons));
}

function failure(name: string, reasons: readonly Reason[]): string {
  const lines = reasons.flatMap(({ message, stack }) =>
    (stack ?? message)
      .split("\n")
      .filter((line) => !line.includes("node_modules"))
      .slice(0, LINES_OF_A_REASON),
  );
  return [name, ...lines.map((line) => `    ${line}`), ""].join("\n");
}
