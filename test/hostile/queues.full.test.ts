// The same in its long form: see test/support/size.ts.
import "./queues.slow.test.ts";
