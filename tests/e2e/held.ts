import type { Page } from '@playwright/test';

/** Makes a promise with the function that fulfils it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Holds back what a file answers until it is let go. */
export async function held(page: Page, file: string): Promise<() => void> {
  const { opened, open } = gate();
  await page.route(`**/${file}`, async (route) => {
    await opened;
    await route.continue();
  });
  return open;
}
