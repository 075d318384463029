/** Largest picture, and largest answer of a host that is asked for one or for what leads to it. */
export const MAX_BYTES = 1_048_576;
/** Longest side of a picture in pixels: a few bytes can encode very many. */
export const MAX_SIDE = 4_096;
/** Pictures of one animation. */
export const MAX_FRAMES = 1_000;
/** Longest avatar record that is not a picture itself, and longest URL. */
export const MAX_URI = 2_048;
/** Longest description of a token, in characters. */
export const MAX_METADATA = 262_144;
/** Longest text that a token's contract gives, in bytes: the longest description in base64. */
export const MAX_TOKEN_TEXT = 350_000;
/** Lists and objects in a description. */
export const MAX_BRACKETS = 1_000;
/** For finding one picture, with all that leads to it. */
export const MAX_MS = 6_000;
/** Pictures that one process looks for at the same time: in all, of one caller, and at one host. */
export const AT_ONCE = { most: 16, each: 4, host: 4 };
/** Those that wait. */
export const WAITING = { most: 400, each: 100 };
/** Avatars a second, on average, for which one process asks the chain. */
export const CHAIN_A_SECOND = 10;
/** Memory for pictures, of one process. */
export const MEMORY_BYTES = 33_554_432;
/** How long a picture is cached; one of a token, whose owner may change; and a missing one. */
export const REMEMBERED_SECONDS = { picture: 3_600, token: 600, none: 300 };
/** How long browsers may show an answer without a question. */
export const SHOWN_SECONDS = 300;
