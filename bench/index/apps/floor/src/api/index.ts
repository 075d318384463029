import { Hono } from "hono";

/** Ponder asks for one; it answers nothing. */
export default new Hono();
