/** What of a connection of pg is used here; `_ended` is its own word for a connection that is no more. */
type Connection = { _ended: boolean; query(...args: unknown[]): unknown };

type ConnectionClass = new (...args: never[]) => Connection;

/**
 * Makes a pool of Ponder's fail where it would wait for good. Its connections ask their first question as soon as
 * connecting is over, whether or not there is a connection; and pg, asked over one that the server cut before it was made
 * (a server that is being killed does), never answers. Who waits would wait for ever, and a place in the pool be lost.
 */
export function failCutConnections(pool: object): void {
  const made = pool as { Client: ConnectionClass };
  made.Client = class extends made.Client {
    override query(...args: unknown[]): unknown {
      const answer = args.find((argument) => typeof argument === "function");
      if (!this._ended || answer === undefined) return super.query(...args);
      process.nextTick(answer, new Error("The database ended the connection before it was made"));
      return undefined;
    }
  };
}
