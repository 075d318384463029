/** Flags by which programs share what Ponder has translated, as they share compiled modules. */
const sharedTransforms = `--import=${new URL("ponderTransforms.ts", import.meta.url).href}`;

/**
 * What a program gets that shall not have the settings of this process. All programs of a run share the compiled form of
 * their modules: each would compile them again.
 */
export const bareEnvironment = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  NODE_OPTIONS: sharedTransforms,
};
