// What `ponder:schema` stands for in tests: the same tables, by name and as one object.
import * as schema from "../../ponder.schema.ts";

export * from "../../ponder.schema.ts";
export default schema;
