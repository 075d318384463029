import { writeFileSync } from "node:fs";
import { exampleFile, settingsDocument } from "./document.ts";

// `npm run docs:settings`: writes docs/settings.md and .env.example from the declarations.

const root = new URL("../", import.meta.url);

writeFileSync(new URL("docs/settings.md", root), settingsDocument());
writeFileSync(new URL(".env.example", root), exampleFile());
