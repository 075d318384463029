import { onEveryEvent } from "../../events.ts";

// What the engine takes by itself: reading the logs, decoding them, calling handlers.
onEveryEvent(() => async () => {});
