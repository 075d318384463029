// Plain JavaScript without imports: it has to run on a Node.js that cannot load the TypeScript that comes after it.
if (!process.features.typescript) {
  console.error(
    `Namedex needs Node.js 22.18 or later, and this is ${process.version}.\nRun it through npm, which uses the Node.js 24 that "npm ci" installs: npm run dev, npm start, or npx ponder dev.`,
  );
  process.exit(1);
}
