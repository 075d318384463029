import { registerPackagePaths } from "../../engine/packagePaths.ts";

// Each process of tests loads a thousand files of packages, as Ponder does.
registerPackagePaths();
