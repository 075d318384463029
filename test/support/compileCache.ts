import { tmpdir } from "node:os";
import { join } from "node:path";

// Every process of a run loads the same modules: the first one keeps their compiled form for the others.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "namedex-compile-cache");
