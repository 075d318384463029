import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { nextTurn } from "../scheduling/turns.ts";

/** Requests of a connection that may wait behind the one that is being answered. */
export const MAX_BEHIND = 100;

/**
 * Ends a connection. Node would still make an object of each of the thousand requests in a packet: 30 ms. Its parser stops
 * where the next one seems to leave HTTP (2: an upgrade).
 */
function end(socket: Socket & { parser?: { onIncoming: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
  socket.destroy();
}

/**
 * Answers the requests of a connection in turn. Node hands over every request it has read, even before earlier ones are
 * answered (pipelining): thousands per read of 64 KiB. Here they wait in memory while the connection is not read, and
 * one connection proceeds per turn. A connection with more than `MAX_BEHIND` waiting requests ends.
 */
export function oneByOne(listener: RequestListener): RequestListener {
  /** What waits, for each connection that has a request being answered. */
  const lines = new WeakMap<Socket, (() => void)[]>();
  /** Node itself reads on after each answer. */
  function stayPaused(this: Socket): void {
    if (lines.get(this)?.length) this.pause();
  }
  const answerNext = async (socket: Socket): Promise<void> => {
    const line = lines.get(socket);
    if (!line?.length) return void lines.delete(socket);
    await nextTurn();
    const begin = line.shift();
    if (line.length === 0) socket.off("resume", stayPaused).resume();
    if (!socket.destroyed) begin?.();
  };
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const begin = () => {
      response.once("close", () => void answerNext(socket));
      listener(request, response);
    };
    const line = lines.get(socket);
    if (line === undefined) {
      lines.set(socket, []);
      begin();
    } else if (line.push(begin) > MAX_BEHIND) end(socket);
    else if (line.length === 1) socket.on("resume", stayPaused).pause();
  };
}
