/** Stops a page that moves by browser/live.js, and lets it go on. Without that module it is not shown. */
export const PauseButton = () => (
  <button type="button" class="pause">
    Pause
  </button>
);
