import { afterAll, beforeAll } from "vitest";
import { startDemoChain } from "../../devnet/localChain.ts";
import { type Stage, stageOf } from "../chain/stage.ts";
import { describeAvatars } from "./avatars.ts";
import { describeJobs } from "./jobs.ts";
import { describeExplorer } from "./onDemo.ts";
import { describePrices } from "./prices.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await stageOf(await startDemoChain());
});
afterAll(() => stage?.close());

describeExplorer(() => stage);
describePrices(() => stage);
describeJobs(() => stage);
describeAvatars(() => stage);
