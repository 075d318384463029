// The same in its long form: see test/support/size.ts.
import "./changes.slow.test.ts";
