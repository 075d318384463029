import { registerPackagePaths } from "./packagePathsHook.ts";

// Each process of tests loads a thousand files of packages, as Ponder does.
registerPackagePaths();
