import { onEveryEvent } from "../../events.ts";

// What Ponder takes by itself: reading the logs, decoding them, calling handlers.
await onEveryEvent(() => async () => {});
