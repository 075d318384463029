import { judge, type Row } from "../report.ts";
import type { Server } from "./server.ts";

/** Red where names in memory were wanted and counted nothing: then what was measured is PostgreSQL. */
export const memoryRow = async (bench: string, server: Pick<Server, "countedFromMemory">): Promise<Row> =>
  judge({
    ...{ bench, name: "searches counted from names in memory", unit: "searches" },
    ...{ value: await server.countedFromMemory(), target: { of: "value", atLeast: 1 } },
  });
