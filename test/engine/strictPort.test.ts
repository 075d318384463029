import { expect, test } from "vitest";
import { runNode } from "./servePonder.ts";

test("a port that another program took during the start is the server's failure, and no other port is taken", async () => {
  expect(await runNode("portTrial.ts")).toEqual({
    away: 0,
    failure: "The port <port> cannot be opened (EADDRINUSE): another program took it during the start",
  });
});
