/**
 * The line by which Ponder's text takes names of a module of engine/. Such a module imports nothing of Ponder: it gets what
 * it needs as arguments.
 *
 * @example importOf("LinearList", "backfill/linearList.ts")
 */
export const importOf = (names: string, module: string): string =>
  `import { ${names} } from ${JSON.stringify(new URL(`../${module}`, import.meta.url).href)};\n`;
