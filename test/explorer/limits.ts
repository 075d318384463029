import { MAX_FORM_BYTES } from "../../src/api/features/explorer/keyForm.ts";
import { MAX_DROPS } from "../../src/api/features/explorer/pages/drops/drops.ts";
import { MAX_SOUGHT } from "../../src/api/features/explorer/pages/go.ts";
import { MAX_RECORDS } from "../../src/api/features/explorer/pages/name/records.tsx";
import { CSV_PAGE_SIZE, MAX_CSV_PAGES } from "../../src/api/features/explorer/pages/namesCsv.ts";
import { MAX_NAME, MAX_WATCHED } from "../../src/api/features/explorer/pages/watch/watched.ts";
import { SHOWN_AT_ONCE, SHOWN_UNFOLDED } from "../../src/api/features/explorer/parts/text.tsx";
import { CUT, number, type Section, TOO_MUCH } from "../docs/limitRows.ts";

/** Its rows of the limit tables in docs/security.md. */
export const limits: Section = [
  "Explorer",
  [
    [
      "Key form of the explorer",
      `${number(MAX_FORM_BYTES)} bytes, never \`multipart/form-data\``,
      `${TOO_MUCH}, before it is parsed`,
    ],
    ["Search box", `${number(MAX_SOUGHT)} characters`, CUT],
    [
      "Value on a page",
      `${SHOWN_AT_ONCE} characters, ${number(SHOWN_UNFOLDED)} unfolded`,
      "Cut; the page links to the JSON.",
    ],
    [
      "Texts, and addresses, on a name's page",
      `${MAX_RECORDS} each`,
      "Left out; the page links to the JSON.",
    ],
    ["Names in one file of drops", MAX_DROPS, "The first to drop are kept."],
    [
      "Names in a CSV file",
      `${number(MAX_CSV_PAGES * CSV_PAGE_SIZE)} (${MAX_CSV_PAGES} requests of the visitor)`,
      "The last line says where to find them.",
    ],
    [
      "Watched names in a URL",
      `${MAX_WATCHED}, ${MAX_NAME} characters each`,
      "Left out; the page says how many.",
    ],
  ],
];
