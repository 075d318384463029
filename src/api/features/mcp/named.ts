import { ApiError } from "../../server/errors/errors.ts";
import type { ExecuteOperation } from "../../server/http/pipeline.ts";
import { readInput } from "../../server/http/readInput.ts";
import type { Call } from "./call.ts";

/** SLIP-44: Ethereum. */
const ETHEREUM = "60";

/**
 * The arguments of a call whose `address` is a name, with the address the name resolves to. The resolution costs what
 * `GET /domain/{name}/records` costs.
 *
 * @throws ApiError INVALID_NAME, INVALID_ADDRESS where the name has none, and what that operation throws
 */
export async function withAddress(call: Call, executeOperation: ExecuteOperation): Promise<Call["given"]> {
  const { given, caller, tool } = call;
  const { address: name } = given;
  if (tool.addressOf === null || typeof name !== "string" || !name.includes(".")) return given;
  if (caller.header("authorization") !== undefined) {
    throw new ApiError("INVALID_ADDRESS", "In a paid call, `address` must be an address, not a name.");
  }
  const operation = tool.addressOf;
  const input = readInput(operation, { name, types: "addr", coin_types: ETHEREUM });
  const { reply } = await executeOperation({ operation, input, caller });
  const { records } = JSON.parse(reply) as { records?: { addresses: Record<string, string> } };
  const address = records?.addresses[ETHEREUM];
  if (address === undefined)
    throw new ApiError("INVALID_ADDRESS", "This name points to no address on Ethereum.");
  return { ...given, address };
}
