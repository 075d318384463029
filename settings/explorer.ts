import { onOrOff } from "./kinds.ts";
import { type ValuesOf, withDefault } from "./variable.ts";

/** What people see in a browser. */
export type ExplorerSettings = {
  /** Whether there are pages at `/explore`. */
  hasExplorer: boolean;
};

export const explorerVariables = {
  EXPLORER: withDefault("on", onOrOff, {
    example: "off",
    meaning:
      "`on`: the explorer for browsers, at `/` and `/explore`; see [explorer.md](explorer.md). `off`: the API alone.",
  }),
};

export const toExplorerSettings = (known: ValuesOf<typeof explorerVariables>): ExplorerSettings => ({
  hasExplorer: known.EXPLORER === "on",
});
