import { arbitrum } from "./arbitrum.ts";
import { base, baseSepolia } from "./base.ts";
import type { Layer2 } from "./descriptor.ts";
import { linea, lineaSepolia } from "./linea.ts";
import { optimism } from "./optimism.ts";
import { scroll } from "./scroll.ts";

/** Every layer 2 that the program knows. A new one has a descriptor, and a line here. */
export const layer2s: readonly Layer2[] = [
  base,
  baseSepolia,
  optimism,
  arbitrum,
  scroll,
  linea,
  lineaSepolia,
];
