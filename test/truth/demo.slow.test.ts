import { afterAll, beforeAll } from "vitest";
import { startDemoChain } from "../../devnet/localChain.ts";
import { type Stage, stageOf } from "../chain/stage.ts";
import { describeTruth } from "./onDemo.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await stageOf(await startDemoChain());
});
afterAll(() => stage?.close());

describeTruth(() => stage);
