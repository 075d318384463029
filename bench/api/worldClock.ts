// Loaded into the process that is measured (`node --import`): its clock starts when the generated world ends, and runs
// on from there.
import { WORLD_TIME } from "./worldTime.ts";

const systemTime = Date.now;
const shift = WORLD_TIME * 1_000 - systemTime();

Date.now = () => systemTime() + shift;
