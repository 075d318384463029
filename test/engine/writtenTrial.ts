import { isTakenUp } from "./plain/twoSteps.ts";

// `node writtenTrial.ts <database>`: writes a file of an API in two steps, and prints whether it is taken up whole.

process.stdout.write(JSON.stringify({ isTakenUp: await isTakenUp({ tries: 2 }) }), () => process.exit());
