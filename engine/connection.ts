/** What the patches blockJournal and ownLock use of Ponder's connections and transactions. */
export type Connection = {
  wrap: <Result>(
    options: { label: string },
    run: (connection: { execute: (text: string) => Promise<Result> }) => Promise<Result>,
  ) => Promise<Result>;
};

/** Makes the function that sends a statement and gives its rows; Ponder's metrics count it by the label. */
export const executeAs =
  (label: string) =>
  async <Row>(connection: Connection, text: string): Promise<Row[]> => {
    const run = (inner: { execute: (text: string) => Promise<{ rows: Row[] }> }) => inner.execute(text);
    return (await connection.wrap({ label }, run)).rows;
  };
