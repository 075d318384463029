/** Pauses and resumes a page updated by browser/live.js. Hidden without that module. */
export const PauseButton = () => (
  <button type="button" class="pause">
    Pause
  </button>
);
