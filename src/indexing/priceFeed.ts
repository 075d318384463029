import { on } from "./on.ts";
import { appendArguments } from "./write/events.ts";
import { putAnswer } from "./write/priceFeed.ts";

/** The feed has another answer. Writes: events, price_feed_phases, price_feed_answers. */
on("PriceFeed", "AnswerUpdated", async (args) => {
  await appendArguments(args);
  await putAnswer(args.context, args.log, args.event.args.current);
});
