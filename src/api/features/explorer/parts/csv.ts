/** A table for spreadsheets, as a file to keep; the first row has the titles. */
export const csvFile = (fileName: string, rows: readonly (readonly string[])[]): Response =>
  new Response(rows.map((row) => `${row.map(toCell).join(",")}\r\n`).join(""), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName}"`,
      "Cache-Control": "no-cache",
    },
  });

/**
 * A cell in quotes (RFC 4180). A spreadsheet would run a name that begins as a formula, also after what it passes over (spaces, line
 * ends, byte order marks) and in other widths: an apostrophe makes it text.
 */
export const toCell = (text: string): string =>
  `"${(FORMULA.test(text.slice(0, 2).normalize("NFKC")) ? `'${text}` : text).replaceAll('"', '""')}"`;

const FORMULA = /^[\p{C}\p{Z}=+\-@\u2212]/u;
