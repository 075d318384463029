// The same in its long form: see test/support/size.ts.
import "./namesInMemory.test.ts";
