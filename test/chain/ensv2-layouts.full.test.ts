// The same in its long form: see test/support/size.ts.
import "./ensv2-layouts.slow.test.ts";
