// The same in its long form: see test/support/size.ts.
import "./ensv2-bounds.slow.test.ts";
