import { registerHooks } from "node:module";

// `npm run client:generate`: the operations import Ponder's tables by a name that Node alone does not resolve.
const tables = new URL("../support/ponderSchema.ts", import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) => next(specifier === "ponder:schema" ? tables : specifier, context),
});

const { generateClient, generatedFolder } = await import("./generate.ts");
await generateClient(generatedFolder);
