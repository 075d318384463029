import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { backUp } from "../../ops/backup/write.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { signupsIn } from "../../src/api/server/serviceDb/signups.ts";
import { openStore } from "../../src/api/server/serviceDb/store.ts";
import { ask, createTestDatabase } from "../support/database.ts";
import { root } from "../support/projectFiles.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;
const [, sql = ""] = /```sql\n([\s\S]*?)```/.exec(readFileSync(join(root, "docs/people.md"), "utf8")) ?? [];

test("an address deleted as the page says is in no row and no backup, and its key is worthless", async () => {
  const database = await createTestDatabase();
  const store = openStore({ databaseUrl: database.url, schema: "namedex_service" });
  const backup = async () => {
    const lines: string[] = [];
    await withClient({ connectionString: database.url }, (client) =>
      backUp(client, { schema: "namedex_service", write: async (line) => void lines.push(line) }),
    );
    return lines.join("\n");
  };
  try {
    const signups = signupsIn(store);
    const { nonce } = await signups.createNonce({ seconds: 60 });
    const made = await signups.signUp({ owner: ADDRESS, nonce, credits: 10 });
    const key = made.kind === "key" ? made.key : "";
    expect(await backup()).toContain(ADDRESS);
    await ask(database.url, sql.replaceAll(":'address'", `'${ADDRESS}'`));
    expect(await backup()).not.toContain(ADDRESS);
    expect(await keysIn(store).find(key)).toMatchObject({ isRevoked: true });
  } finally {
    await store.close();
    await database.drop();
  }
});
