/** The version of Ponder that patches/ and the modules of this folder are for. */
export const PONDER_VERSION = "0.17.7";

/** `import.meta.resolve` is missing where Ponder runs this. */
const PONDER = new URL("../node_modules/ponder/dist/esm/", import.meta.url);

// biome-ignore lint/suspicious/noExplicitAny: Ponder exports none of these modules, nor their types.
export const ponderModule = (file: string): Promise<any> => import(new URL(file, PONDER).href);

/** A logger for modules of Ponder that throw their errors: their other messages are of no use. */
export const quietLogger: Record<string, unknown> = {
  ...Object.fromEntries(
    ["fatal", "error", "warn", "info", "debug", "trace"].map((level) => [level, () => {}]),
  ),
  child: () => quietLogger,
};
