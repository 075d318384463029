/** Prints how many seconds some work takes, as the outcome of a case, and ends the process. */
export async function printSeconds(work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await work();
  printOutcome((performance.now() - begun) / 1_000);
}

/** Prints the outcome of a case, and ends the process: what it opened may wait for more. */
export function printOutcome(value: number): void {
  process.stdout.write(JSON.stringify(value), () => process.exit());
}
