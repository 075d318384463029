import { encodeAbiParameters } from "viem";
import { test } from "vitest";
import { byteOrderMarks } from "../../../engine/changes/byteOrderMarks.ts";
import { ponderModule } from "../../../engine/ponderModule.ts";
import { expectFault } from "./fault.ts";

test("a text loses the byte order mark that it begins with", async () => {
  const { decodeAbiParameters } = await ponderModule("utils/decodeAbiParameters.js");
  const parameters = [{ type: "string" }] as const;
  const [text] = decodeAbiParameters(parameters, encodeAbiParameters(parameters, ["\ufeffname"]));
  expectFault(byteOrderMarks, text === "name");
});
