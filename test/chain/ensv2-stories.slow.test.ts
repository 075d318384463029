// The same, with what `npm test` leaves out: see test/support/size.ts.
import "./ensv2-stories.apart.test.ts";
