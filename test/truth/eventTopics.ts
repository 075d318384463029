import { type Abi, type AbiEvent, type Hex, toEventSelector } from "viem";

// viem hashes the signature of each event of an ABI again for each decoded log, which takes longer than everything else in a
// judgement. Here each is hashed once.

const topics = new WeakMap<AbiEvent, Hex>();

/** The first topic of an event's logs. */
export function topicOf(event: AbiEvent): Hex {
  const topic = topics.get(event) ?? toEventSelector(event);
  topics.set(event, topic);
  return topic;
}

/** The events of an ABI with this first topic: they differ in their indexed arguments. */
export const eventsWithTopic = (abi: Abi, topic: Hex | undefined): AbiEvent[] =>
  abi.filter((item) => item.type === "event").filter((event) => topicOf(event) === topic);
