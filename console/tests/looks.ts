// What is asked of every screen: light and dark, narrow and wide, it is complete and usable by
// everybody, and nothing lies beside it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PATIENCE, violations, type World } from "./world.js";

export interface Screen {
  name: string;
  path: () => string;
  /** What must be on it. */
  text: string;
  /** Where it comes from, if not from the server itself. */
  from?: () => string;
}

/** Tests them all. A page follows the theme while it is open, so each is opened once per width. */
export function lookAt(world: () => World, screens: Screen[]): void {
  for (const width of [360, 1280]) {
    describe(`${width} pixels wide`, () => {
      for (const { name, path, text, from } of screens) {
        it(name, async () => {
          const { page, context, trouble } = await world().open(path(), { width, ...(from && { from: from() }) });
          await page.locator("main", { hasText: text }).waitFor();
          await page.waitForFunction(() => !document.querySelector("main")?.textContent?.includes("Loading…"), undefined, { timeout: PATIENCE });
          assert.deepEqual(await violations(page), []);
          await page.emulateMedia({ colorScheme: "dark" });
          // Nothing else than colors is another one in the dark.
          assert.deepEqual(await violations(page, ["color-contrast"]), []);
          const beside = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          assert.ok(beside <= 0, `${beside} pixels are beside the window`);
          assert.deepEqual(trouble, []);
          await context.close();
        });
      }
    });
  }
}
