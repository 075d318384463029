/**
 * What a program gets that shall not have the settings of this process. All programs of a run share the compiled form of
 * their modules: each would compile them again.
 */
export const bareEnvironment = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
