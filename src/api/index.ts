import { db } from "ponder:api";
import { readSettings } from "../../settings/settings.ts";
import { createCore } from "./core/core.ts";
import { serve } from "./core/serve.ts";
import { features } from "./features.ts";

// Ponder serves what this file exports: the core, and the features on top of it.

export default serve(await createCore(readSettings(process.env), db), features);
