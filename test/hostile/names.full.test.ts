// The same in its long form: see test/support/size.ts.
import "./names.slow.test.ts";
