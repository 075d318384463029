// The same in its long form: see test/support/size.ts.
import "./reorgs.slow.test.ts";
