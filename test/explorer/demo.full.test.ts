// The same in its long form: see test/support/size.ts.
import "./demo.slow.test.ts";
