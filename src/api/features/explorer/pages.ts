import type { ExplorerPage } from "./page.ts";
import { addressPage } from "./pages/address.tsx";
import { agentPage } from "./pages/agent.tsx";
import { agentsPage } from "./pages/agents.tsx";
import { dropsCalendar, dropsCsv, dropsFeed } from "./pages/drops/files.ts";
import { dropsPage } from "./pages/drops.tsx";
import { goPage } from "./pages/go.ts";
import { hashPage } from "./pages/hash.tsx";
import { homePage } from "./pages/home.tsx";
import { keyPage } from "./pages/key.tsx";
import { namePage } from "./pages/name.tsx";
import { namesCsvPage } from "./pages/namesCsv.ts";
import { searchPage } from "./pages/search.tsx";
import { statisticsCsvPage, statisticsPage } from "./pages/statistics.tsx";
import { statusPage } from "./pages/status.tsx";
import { watchCalendar, watchFeed } from "./pages/watch/files.ts";
import { watchPage } from "./pages/watch.tsx";

/** Every page of the explorer. The navigation has its lines in the layout. */
export const pages: readonly ExplorerPage[] = [
  homePage,
  goPage,
  keyPage,
  namePage,
  addressPage,
  namesCsvPage,
  hashPage,
  searchPage,
  dropsPage,
  dropsCsv,
  dropsCalendar,
  dropsFeed,
  watchPage,
  watchCalendar,
  watchFeed,
  agentsPage,
  agentPage,
  statisticsPage,
  statisticsCsvPage,
  statusPage,
];
