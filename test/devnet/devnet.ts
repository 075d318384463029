import { relative } from "node:path";
import { readHome } from "../../settings/machine.ts";
import { startOwnChain } from "./ownChain.ts";
import { say, styled } from "./screen.ts";
import { superviseProcesses } from "./superviseProcesses.ts";

// `npm run devnet`: the local chain with the demo alone, for those who run Namedex themselves.

const home = readHome(process.env);

await superviseProcesses({
  home,
  env: process.env,
  open: async () => {
    const { local, deploymentFile } = await startOwnChain(home);
    const { anvil } = local;
    const file = relative("", deploymentFile);
    say(`
  RPC URL      ${styled("cyan", anvil.url)}  (chain id ${anvil.chainId}; ten unlocked accounts)
  Deployment   ${file}

${styled("bold", "To run Namedex on it")}

  export ENS_NETWORK=devnet ENS_DEPLOYMENT=${file} RPC_URL_${anvil.chainId}=${anvil.url}
  DATABASE_URL=postgresql://namedex:secret@localhost:5432/namedex npm start

${styled("dim", "Ctrl-C ends the chain.")}`);
    return anvil.pid;
  },
});
