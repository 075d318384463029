// The same, with what `npm test` leaves out: see test/support/size.ts.
import "./dev.apart.test.ts";
