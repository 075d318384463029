import { onTestFinished, test } from "vitest";
import { applicationFiles, strictest } from "./application.ts";
import { compilers, installClient, writeApplication } from "./package.ts";

test("the client's package has types for strict programs in TypeScript 5.4 and later, and its examples match them", async () => {
  const client = await installClient();
  onTestFinished(client.remove);
  for (const [path, text] of Object.entries(applicationFiles())) writeApplication(client, path, text);
  for (const [module, moduleResolution] of [
    ["NodeNext", "NodeNext"],
    ["ESNext", "bundler"],
  ]) {
    const compilerOptions = { ...strictest, module, moduleResolution };
    writeApplication(client, "tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    for (const compiler of compilers) await client.checkTypes(compiler, ["--project", "."]);
  }
});
