// The same in its long form: see test/support/size.ts.
import "./layer2.test.ts";
