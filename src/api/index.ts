import { db } from "ponder:api";
import { readSettings } from "../../settings/settings.ts";
import { createCore } from "./core/core.ts";
import { settingsWith } from "./core/feature.ts";
import { serve } from "./core/serve.ts";
import { features } from "./features.ts";

// Ponder serves what this file exports: the core, and the features on top of it.

const settings = settingsWith(features, readSettings(process.env));
export default serve(await createCore(settings, db), features);
