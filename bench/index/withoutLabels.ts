// Loaded before Ponder (`--import`): the handlers of this process find no labels of others, so they ask for none.

Object.defineProperty(globalThis, "namedexGivenLabels", { get: () => undefined, set: () => {} });
