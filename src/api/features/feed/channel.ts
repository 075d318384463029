/** The channel on which the writer says that the feed has something new. */
export const feedChannel = (schema: string): string => `feed_${schema}`;
