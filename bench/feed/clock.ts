/** A time that other processes of this machine have, too: milliseconds with fractions. */
export const clock = (): number => performance.timeOrigin + performance.now();
