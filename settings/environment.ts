/** Adds the settings of `.env.local`, then of `.env`, in the working directory. A variable that is set already stays. */
export function loadEnvironmentFiles(): void {
  for (const file of [".env.local", ".env"]) {
    try {
      process.loadEnvFile(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}
