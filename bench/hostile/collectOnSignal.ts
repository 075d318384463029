import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// Node's --import loads this into the indexer of the benchmark: by SIGUSR2 it collects what it no longer needs, so that
// memory that is held can be told from memory that is only not yet given back.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
process.on("SIGUSR2", () => collect());
