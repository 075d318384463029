import { runPonder } from "./launch/launch.ts";

// `npm run serve`: the API alone. Any number of these can run beside one indexer.

await runPonder("serve", process.env);
