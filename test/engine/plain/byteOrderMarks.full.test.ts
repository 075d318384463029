import { encodeAbiParameters } from "viem";
import { test } from "vitest";
import { ponderModule } from "../ponders.ts";
import { expectFault } from "./fault.ts";

test("a text loses the byte order mark that it begins with", async () => {
  const { decodeAbiParameters } = await ponderModule("utils/decodeAbiParameters.js");
  const parameters = [{ type: "string" }] as const;
  const [text] = decodeAbiParameters(parameters, encodeAbiParameters(parameters, ["\ufeffname"]));
  expectFault("byteOrderMarks", text === "name");
});
