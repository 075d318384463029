import { runPonder } from "./launch/launch.ts";

// `npm start`: checks settings, database and nodes, then runs the indexer and its API.

await runPonder("start", process.env);
