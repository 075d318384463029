import type { Change } from "../change.ts";

const file = "build/index.js";

export const apiReload: Change = {
  name: "apiReload",
  group: "correct",
  problem:
    "`ponder dev` (`build/index.js`) takes a file of the API for one of the handlers, if it changes twice in a moment, as a file does that is emptied and written: by the second time nothing imports it.",
  cost: "The index is built again beside the new API, which keeps the closed database of the old one, and answers 503 until the next edit.",
  remedy: "A file in the folder of the API is a file of the API.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that takes a file in the folder of the API for one of the API, however often it changes.",
  edits: [
    {
      file,
      from: "indexingRegex.test(file) && file !== common.options.apiFile)",
      to: "indexingRegex.test(file) && isOfApi(file) === false)",
    },
    {
      file,
      from: "const hasApiUpdate = Array.from(invalidated).some((file) => file === common.options.apiFile);",
      to: "const hasApiUpdate = Array.from(invalidated).some(isOfApi);",
    },
    {
      file,
      from: "                const hasConfigUpdate = invalidated.has(",
      to: `                const apiFolder = path.dirname(common.options.apiFile).replace(/\\\\/g, "/") + "/";
                const isOfApi = (file) => file.startsWith(apiFolder);
                const hasConfigUpdate = invalidated.has(`,
    },
  ],
};
