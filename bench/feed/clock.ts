/** A clock shared by all processes of this machine: milliseconds with fractions. */
export const clock = (): number => performance.timeOrigin + performance.now();
