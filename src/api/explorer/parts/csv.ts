/** A table for spreadsheets, as a file to keep; the first row has the titles. */
export const csvFile = (fileName: string, rows: readonly (readonly string[])[]): Response =>
  new Response(rows.map((row) => `${row.map(toCell).join(",")}\r\n`).join(""), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName}"`,
      "Cache-Control": "no-cache",
    },
  });

/** A cell in quotes (RFC 4180). A spreadsheet would run a name that begins as a formula: an apostrophe makes it text. */
export const toCell = (text: string): string =>
  `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
