// The same in its long form: see test/support/size.ts.
import "./dev.apart.test.ts";
