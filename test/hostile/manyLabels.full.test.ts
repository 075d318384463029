// The same in its long form: see test/support/size.ts.
import "./manyLabels.slow.test.ts";
